"""Formulas as kernels of NVIDIA Warp, a thread an element of the result; gradients are those of Warp's tape.

Imported twice, by `gpu_rivals.py`: as it is, and in Warp's deterministic mode, which is an option of a module.
"""
# ruff: noqa: UP018 - `float(0.0)` is a variable to Warp, `0.0` a constant

import warp as wp


@wp.kernel
def wave(
    u: wp.array3d(dtype=float),
    p: wp.array3d(dtype=float),
    c: wp.array3d(dtype=float),
    v: wp.array3d(dtype=float),
):
    a, b, d = wp.tid()
    i, j, k = a + 1, b + 1, d + 1
    here = u[i, j, k]
    near = (
        u[i - 1, j, k]
        + u[i + 1, j, k]
        + u[i, j - 1, k]
        + u[i, j + 1, k]
        + u[i, j, k - 1]
        + u[i, j, k + 1]
    )
    v[a, b, d] = 2.0 * here - p[i, j, k] + c[i, j, k] * (near - 6.0 * here)


@wp.kernel
def gaussians(
    x: wp.array2d(dtype=float),
    y: wp.array2d(dtype=float),
    w: wp.array(dtype=float),
    f: wp.array(dtype=float),
):
    i = wp.tid()
    s = float(0.0)
    for j in range(w.shape[0]):
        a = x[i, 0] - y[j, 0]
        b = x[i, 1] - y[j, 1]
        c = x[i, 2] - y[j, 2]
        s += wp.exp(-(a * a + b * b + c * c)) * w[j]
    f[i] = s


@wp.kernel
def filter3(x: wp.array2d(dtype=float), w: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    s = float(0.0)
    for r in range(3):
        for t in range(3):
            a = i + r - 1
            b = j + t - 1
            if a >= 0 and a < x.shape[0] and b >= 0 and b < x.shape[1]:
                s += x[a, b] * w[r, t]
    y[i, j] = s


@wp.kernel
def elementwise(x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float)):
    i = wp.tid()
    z[i] = x[i] * wp.tanh(y[i]) + wp.exp(-x[i] * x[i])


@wp.kernel
def squares(x: wp.array(dtype=float), s: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(s, 0, x[i] * x[i])


@wp.kernel
def broadcast(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    y[i, j] = a[i] * b[j]


@wp.kernel
def modulo(x: wp.array(dtype=float), w: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i % x.shape[0]] * w[i]


# By the formula's name.
KERNELS = {
    "a wave step, 7 points": wave,
    "a sum of Gaussians": gaussians,
    "3x3 filter with a border": filter3,
    "elementwise": elementwise,
    "a sum of squares": squares,
    "a broadcast": broadcast,
    "x[i % B]": modulo,
}


def runs(name, arrays, cotangent, convert):
    """The tasks of a formula; `convert` makes an array of Warp of one in the same memory."""
    kernel = KERNELS[name]
    given = [convert(a) for a in arrays]
    seed = convert(cotangent.reshape(cotangent.shape or (1,)))
    device, shape = seed.device, seed.shape
    dim = given[0].shape if kernel is squares else shape
    total = kernel is squares  # it adds to its result

    def forward(inputs, needs_gradient):
        # On the default stream, where events are recorded.
        make = wp.zeros if total else wp.empty
        result = make(shape, dtype=float, device=device, requires_grad=needs_gradient)
        wp.launch(kernel, dim=dim, inputs=inputs, outputs=[result], device=device)
        return result

    def on_default_stream(work):
        if not device.is_cuda:
            return work()
        with wp.ScopedStream(device.null_stream, sync_enter=False):
            return work()

    def value():
        return on_default_stream(lambda: [result_of(forward(given, False))])

    def result_of(array):
        return array.reshape(cotangent.shape) if cotangent.shape else array

    def with_gradients(count):
        """The value, and the gradients by the first inputs."""
        inputs = [convert(a) for a in arrays]
        for a in inputs[:count]:
            a.requires_grad = True

        def both():
            for a in inputs[:count]:
                a.grad.zero_()
            tape = wp.Tape()
            with tape:
                result = forward(inputs, True)
            tape.backward(grads={result: seed})
            return [result_of(result), *(a.grad for a in inputs[:count])]

        return lambda: on_default_stream(both)

    by_first = with_gradients(1)
    return {
        "value": value,
        "value and gradients": with_gradients(len(arrays)),
        "gradient": lambda: by_first()[1:],
    }
