"""Settings of the whole test suite: one engine under two names, and the hypothesis profiles."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from hypothesis import settings

ALIAS = "ansible.module_utils.fleet"


class _Engine(Loader):
    """Loads `ansible.module_utils.fleet.x` by handing out the very module `fleet.x`."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        real = importlib.import_module(spec.name.removeprefix("ansible.module_utils."))
        # The import system writes the alias's spec into the module it gets; exec_module puts its own back.
        spec.loader_state = real.__spec__
        return real

    def exec_module(self, module: ModuleType) -> None:
        # The module was executed under its own name already; executing it again would make a second engine.
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


class _EngineFinder(MetaPathFinder):
    """Answers for the alias and everything below it, only when it is asked for: nothing is imported ahead."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != ALIAS and not fullname.startswith(ALIAS + "."):
            return None
        real = importlib.util.find_spec(fullname.removeprefix("ansible.module_utils."))
        if real is None:
            return None
        return ModuleSpec(fullname, _Engine(), is_package=real.submodule_search_locations is not None)


sys.meta_path.insert(0, _EngineFinder())

# One thousand examples, the same ones on every machine: a failure seen by CI is seen at home, too.
settings.register_profile("ci", max_examples=1000, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=50)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
