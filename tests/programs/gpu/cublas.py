"""Products of square matrices by cuBLAS, without tensor cores where it lets one choose: `python3 cublas.py f32|f64 N...` writes one
line `N SECONDS RATE` each, SECONDS the median of single products on data that lie on the device. For `bench gpu`.

The libraries are those of the system, of PyPI's nvidia-cublas and nvidia-cuda-runtime, or where CUBLAS and CUDART say."""
import ctypes
import glob
import os
import random
import site
import statistics
import sys


def library(variable, name):
    folders = site.getsitepackages() + [site.getusersitepackages()] + sys.path
    found = [os.environ.get(variable)] + [
        path for folder in folders for path in sorted(glob.glob(f"{folder}/nvidia/*/lib/{name}.so*"))
    ]
    for path in [path for path in found if path] + [f"{name}.so"]:
        try:
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
    sys.exit(f"there is no {name}: set {variable}")


def checked(what, status):
    if status:
        sys.exit(f"{what}: error {status}")


def main():
    kind, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]]
    real, width = (ctypes.c_double, 8) if kind == "f64" else (ctypes.c_float, 4)
    cudart, cublas = library("CUDART", "libcudart"), library("CUBLAS", "libcublas")
    product = cublas.cublasDgemm_v2 if kind == "f64" else cublas.cublasSgemm_v2
    handle = ctypes.c_void_p()
    checked("cublasCreate", cublas.cublasCreate_v2(ctypes.byref(handle)))
    checked("cublasSetMathMode", cublas.cublasSetMathMode(handle, 2))  # CUBLAS_PEDANTIC_MATH
    one, zero = real(1), real(0)
    for n in sizes:
        row = (real * n)(*[random.random() for _ in range(n)])
        arrays = []
        for _ in range(3):
            address = ctypes.c_void_p()
            checked("cudaMalloc", cudart.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(n * n * width)))
            for line in range(n):
                to = ctypes.c_void_p(address.value + line * n * width)
                checked("cudaMemcpy", cudart.cudaMemcpy(to, row, ctypes.c_size_t(n * width), 1))
            arrays.append(address)
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            checked("cudaEventCreate", cudart.cudaEventCreate(ctypes.byref(event)))
        times = []
        for _ in range(7):
            checked("cudaEventRecord", cudart.cudaEventRecord(events[0], None))
            checked(
                "gemm",
                product(handle, 0, 0, n, n, n, ctypes.byref(one), arrays[0], n, arrays[1], n, ctypes.byref(zero), arrays[2], n),
            )
            checked("cudaEventRecord", cudart.cudaEventRecord(events[1], None))
            checked("cudaDeviceSynchronize", cudart.cudaDeviceSynchronize())
            passed = ctypes.c_float()
            checked("cudaEventElapsedTime", cudart.cudaEventElapsedTime(ctypes.byref(passed), events[0], events[1]))
            times.append(passed.value * 1e-3)
        seconds = statistics.median(times)
        print(f"cublas_{kind} {n:8} {seconds * 1e3:11.3f} ms {2 * n**3 / seconds * 1e-9:9.1f} GFLOP/s", flush=True)
        for address in arrays:
            cudart.cudaFree(address)


main()
