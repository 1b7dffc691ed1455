"""All settings of the service.

A setting comes from the environment (`GRAPH_MEMORY_<FIELD>`), else from the TOML file that
`GRAPH_MEMORY_CONFIG` names, else from its default. Each base class holds the settings of a subject.
`config/graph-memory.toml` shows all of them; a test compares it with the code.
"""

from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from graph_memory.settings.database import DatabaseSettings
from graph_memory.settings.decay import DecaySettings
from graph_memory.settings.learning import LearningSettings
from graph_memory.settings.llm import LlmSettings
from graph_memory.settings.memories import MemorySettings
from graph_memory.settings.search import SearchSettings
from graph_memory.settings.service import ServiceSettings
from graph_memory.settings.sources import (
    PREFIX,
    file_source,
    malformed,
    warn_of_misspelt,
)


class Settings(
    DatabaseSettings,
    ServiceSettings,
    MemorySettings,
    SearchSettings,
    DecaySettings,
    LearningSettings,
    LlmSettings,
):
    """The configuration of the service; immutable."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        frozen=True,
        extra="forbid",
        validate_default=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # an input may be a secret
    )

    @property
    def backup_folder(self) -> Path:
        """The folder of the backups."""
        return self.backup_path or self.data_dir / "backups"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources by priority: arguments, environment, file of GRAPH_MEMORY_CONFIG."""
        file = file_source(settings_cls)
        return (init_settings, env_settings, *([file] if file else []))


def read_settings(**overrides: Any) -> Settings:
    """Read the settings; `overrides` take precedence over the environment and the file.

    Raises:
        SettingsError: A value is malformed; the message names each variable, value and range.
    """
    try:
        settings = Settings(**overrides)
    except ValidationError as error:
        raise malformed(error, Settings, overrides) from error
    warn_of_misspelt(Settings)
    return settings
