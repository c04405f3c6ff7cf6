"""`python -m tadc`."""

from tadc.cli import main

if __name__ == "__main__":
    main()
