.PHONY: check format golden slow

check:
	ruff format --check .
	ruff check .
	mypy
	pytest

format:
	ruff format .
	ruff check --fix .

golden:
	pytest --update-golden tests/test_examples.py

slow:
	pytest -m slow
