import { ownProgram } from '#runtimes';
import { describeResumableRuntime, type ResumableCaseName } from '#runtimes/port/conformance';
import { sampleUnderTest } from './sample-under-test.fixture.js';

const driver = ownProgram('./driver/driver', import.meta.url);
describeResumableRuntime('resumable-sample', () => sampleUnderTest(driver), {
  tags: {
    'killed at work, the runtime aborts': '@FM-01',
    'killed at work, the runtime finishes': '@FM-02',
    'killed with the answer at the runtime': '@FM-08',
    'killed before the acknowledgement': '@FM-09',
    'can not be asked': '@FM-09',
    'five deaths, one prompt': '@FM-11',
  },
});

const sabotaged = (sabotage: string): readonly [string, ...string[]] => [
  ...ownProgram('./sabotaged.driver.fixture', import.meta.url),
  sabotage,
];
const broken: readonly (readonly [sabotage: string, breaks: ResumableCaseName])[] = [
  ['resendsTheInitialPrompt', 'killed before the acknowledgement'],
  ['resendsTheInitialPrompt', 'killed after the acknowledgement'],
  ['resendsTheInitialPrompt', 'killed at work, the runtime finishes'],
  ['resendsTheInitialPrompt', 'killed at work, the runtime aborts'],
  ['resendsTheInitialPrompt', 'runtime killed at work'],
  ['resendsTheInitialPrompt', 'five deaths, one prompt'],
  ['recoversWhatIsFinished', 'killed with the answer at the runtime'],
  ['recoversWhatIsFinished', 'found by its own name'],
  ['takesLostForNeverReceived', 'acknowledged and lost'],
  ['takesLostForNeverReceived', 'can not be asked'],
  ['looksWithoutTheFence', 'at work in another process'],
  ['looksOnlyAtTheFirstTurn', 'a recovery is read back too'],
  ['forgetsItsRecoveries', 'a lost recovery is not repeated'],
  ['diesWithoutInterrupting', 'a stop interrupts the turn'],
];
for (const [sabotage, breaks] of broken)
  describeResumableRuntime(
    `with a driver that ${sabotage} (negative control)`,
    () => sampleUnderTest(sabotaged(sabotage)),
    { breaks },
  );
