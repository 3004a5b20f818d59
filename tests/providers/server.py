"""llama.cpp's own HTTP server with an embedding model. Prints its address; ends with its input.

usage: server.py GGUF [KEY]
"""

import sys

import xllamacpp


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.embedding = True
    parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 2048
    parameters.n_batch = 512
    parameters.n_ubatch = 512
    parameters.n_parallel = 4
    if len(sys.argv) > 2:
        parameters.api_keys = [sys.argv[2]]
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
