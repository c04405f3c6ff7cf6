"""A layer of PyTorch whose output solves equations: its gradient is one product with J⁻ᵀ, however the solution was found.

    pip install 'tadc[torch]'
    python examples/torch_implicit.py

The output z solves `z - tanh(W z) - x = 0`; W is lower triangular, so the block is solved by substitution. Newton's method
finds z outside of autograd. One more step of it at the solution, `z - J(z)⁻¹ (F(z, W) - x)`, changes nothing but has
derivatives: as F(z, W) - x = 0, those of the product drop out, and what is left is -J⁻¹ dF, the derivative of the solution.
"""

import numpy as np
import torch

import tadc

LAYER = """
size N
state z[N]
input W[N, N]
z[i] <- z[i] - tanh(sum{j | j < i} W[i, j]*z[j])
"""


class Implicit(torch.nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.weights = torch.nn.Parameter(0.1 * torch.randn(n, n, dtype=torch.float64))
        self.equations = tadc.compile(LAYER)
        self.solve = self.equations.inverse_tangent()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = self.weights.detach().numpy()
        found = self.equations.newton(np.zeros(len(x)), weights, target=x.detach().numpy())
        z = torch.from_numpy(found.x["z"])
        error = self.equations(z, self.weights) - x
        return z - self.solve(z, self.weights.detach(), error)  # J needs no derivative here


def main(n: int = 40, steps: int = 50) -> None:
    torch.manual_seed(0)
    layer = Implicit(n)
    x = torch.randn(n, dtype=torch.float64, requires_grad=True)
    wanted = torch.sin(torch.arange(n) / 5)

    # The gradient by x against a difference of losses.
    direction, eps = torch.randn(n, dtype=torch.float64), 1e-6
    (gradient,) = torch.autograd.grad(((layer(x) - wanted) ** 2).sum(), x)
    up, down = (((layer(x + e * direction) - wanted) ** 2).sum() for e in (eps, -eps))
    slope, difference = (gradient * direction).sum().item(), ((up - down) / (2 * eps)).item()
    print(f"slope {slope:.8f}, by differences {difference:.8f}")
    assert np.isclose(slope, difference, rtol=1e-5)

    optimizer = torch.optim.Adam(layer.parameters(), lr=0.02)
    first = loss = ((layer(x) - wanted) ** 2).sum()
    for step in range(steps):
        optimizer.zero_grad()
        loss = ((layer(x) - wanted) ** 2).sum()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step}: loss {loss.item():.4f}")
    print(f"step {steps}: loss {loss.item():.4f}")
    assert loss < first / 2


if __name__ == "__main__":
    main()
