"""An episode that cannot be read fails, and does not block the others."""

import pytest
from neo4j import AsyncDriver

from graph_memory.errors import AmbiguousIdError, JobNotFoundError
from tests.integration.conftest import Make
from tests.integration.graphiti.test_episodes import BOB, alone, until
from tests.support.graphiti_script import GraphitiScript

__all__ = ["alone"]  # a fixture

pytestmark = pytest.mark.usefixtures("imported")


async def left_running(driver: AsyncDriver, job_id: str, attempts: int) -> None:
    """Leave an episode as a process does that was killed."""
    await driver.execute_query(
        "MATCH (j:EpisodeJob {job_id: $id}) SET j.status = 'running', j.owner = 'gone', "
        "j.attempts = $attempts, j.lease_until = '2020-01-01T00:00:00.000Z'",
        id=job_id,
        attempts=attempts,
    )


async def test_an_episode_that_kills_its_readers_is_given_up(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make(episode_attempts=3)
    deadly, harmless = await memory.episodes.add("Bob"), await memory.episodes.add(BOB)
    await left_running(driver, deadly.job_id, 2)
    assert await memory._worker.jobs.claim(group)
    await left_running(driver, deadly.job_id, 3)
    assert await memory.episodes.process([group]) == 1
    told = await memory.episodes.status(deadly.job_id)
    assert (told.status, told.attempts) == ("failed", 3)
    assert "broke off attempt 3" in str(told.error)
    assert (await memory.episodes.status(harmless.job_id)).status == "done"
    assert await memory.episodes.retry() == [deadly.job_id]
    assert await memory.episodes.process([group]) == 1


async def test_a_malformed_episode_fails_and_the_reader_goes_on(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    broken = await memory.episodes.add("Bob")
    await driver.execute_query(
        "MATCH (j:EpisodeJob {job_id: $id}) SET j.reference_time = 'once', j.entity_types = '{'",
        id=broken.job_id,
    )
    async with memory.episodes.processing():
        told = await until(memory, broken.job_id, "failed")
        assert "entity_types, reference_time" in str(told.error)
        after = await memory.episodes.add(BOB)
        assert (await until(memory, after.job_id, "done", "failed")).status == "done"


async def test_a_reader_outlives_what_it_cannot_make_sense_of(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    broken = await memory.episodes.add("Bob", group_id=f"{group}_other")
    await driver.execute_query(
        "MATCH (j:EpisodeJob {job_id: $id}) SET j.not_before = 'soon'", id=broken.job_id
    )
    async with memory.episodes.processing():
        job = await memory.episodes.add(BOB)
        await driver.execute_query("MATCH (j:EpisodeJob {job_id: $id}) DELETE j", id=broken.job_id)
        assert (await until(memory, job.job_id, "done", "failed")).status == "done"


async def test_the_first_characters_of_a_job_are_enough(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make(episode_attempts=3)
    jobs = [(await memory.episodes.add(text)).job_id for text in ("Bob", BOB)]
    same = "abcd0123"
    whole = [f"{same}-0000-4000-8000-{n:012}" for n in range(2)]
    assert (await memory.episodes.status(jobs[0][:8])).job_id == jobs[0]
    await left_running(driver, jobs[0], 3)
    await memory.episodes.process([group])
    assert await memory.episodes.retry([jobs[0][:8]]) == [jobs[0]]
    for job_id, new in zip(jobs, whole, strict=True):
        await driver.execute_query(
            "MATCH (j:EpisodeJob {job_id: $id}) SET j.job_id = $new", id=job_id, new=new
        )
    with pytest.raises(AmbiguousIdError, match=f"it begins the ids {whole[0]}, {whole[1]}"):
        await memory.episodes.status(same)
    with pytest.raises(AmbiguousIdError, match=r"job_ids\.1"):
        await memory.episodes.retry([whole[0], same])
    with pytest.raises(AmbiguousIdError, match="episode_id"):
        await memory.maintenance.revoke_source(episode_id=same, dry_run=True)
    with pytest.raises(JobNotFoundError):
        await memory.episodes.status(same, group_id=f"{group[:50]}_other")
