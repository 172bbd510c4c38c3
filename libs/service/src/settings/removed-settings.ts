import { fixedLimits } from './fixed-limits';
import { bytes, integer, text } from './kinds';
import type { Setting, SettingsDefinition } from './setting';
import { settingTexts } from './setting-text';
import type { Environment } from './setting-text';

const number = (value: number, description: string, ...formerly: string[]) =>
  integer({ default: value, description, formerly });
const size = (value: number, description: string, ...formerly: string[]) =>
  bytes({ default: value, description, formerly });

/** The settings of the release before that are constants now. They are recognized for one release. */
export const removedSettings: SettingsDefinition = {
  MILLRACE_MAXIMUM_BODY_MEMBERS: number(fixedLimits.bodyMembers, 'members of a body'),
  MILLRACE_MAXIMUM_FLOW_MEMBERS: number(fixedLimits.flowMembers, 'members of a body with flows'),
  MILLRACE_GATEWAY_CONCURRENT_RUNS: number(
    fixedLimits.gatewayConcurrentRuns,
    'runs that one gateway waits for',
    'MILLRACE_MAXIMUM_WAITING_RUNS',
  ),
  MILLRACE_CONSOLE_SESSION_SECONDS: number(
    fixedLimits.consoleSessionSeconds,
    'how long a session of the console lasts',
  ),
  MILLRACE_USER_TRIGGERS: number(fixedLimits.userTriggers, 'triggers of a user'),
  MILLRACE_USER_QUEUE_SOURCES: number(fixedLimits.userQueueSources, 'triggers of kind `rabbitmq` of a user'),
  MILLRACE_MAXIMUM_QUEUE_SOURCES: number(
    fixedLimits.processQueueSources,
    'queues from which an ingest process consumes',
  ),
  MILLRACE_MAXIMUM_QUEUE_PREFETCH: number(
    fixedLimits.queuePrefetch,
    'maximum `prefetch` of a trigger of kind `rabbitmq`',
  ),
  MILLRACE_MAXIMUM_QUEUE_MESSAGE_BYTES: size(fixedLimits.queueMessageBytes, 'size of a message from a queue'),
  MILLRACE_QUEUE_LEASE_SECONDS: number(
    fixedLimits.queueLeaseMilliseconds / 1_000,
    'how long a queue stays with an ingest process that has ended',
  ),
  MILLRACE_MAXIMUM_ATTEMPTS: number(fixedLimits.runAttempts, 'attempts of a run whose executors crash'),
  MILLRACE_CALLBACK_CONCURRENCY: number(
    fixedLimits.callbackConcurrency,
    'callbacks of a process to one receiver at a time',
  ),
  MILLRACE_CALLBACK_TIMEOUT_SECONDS: number(
    fixedLimits.callbackTimeoutMilliseconds / 1_000,
    'how long the receiver of a callback has to answer',
  ),
  MILLRACE_MAXIMUM_VERTICES: number(fixedLimits.runVertices, 'vertices that a run executes'),
  MILLRACE_MAXIMUM_OUTPUT_BYTES: size(fixedLimits.outputBytes, 'size of the answer of a run'),
  MILLRACE_USER_CACHED_RESULTS: number(
    fixedLimits.userCachedResults,
    'cached results of a user',
    'MILLRACE_CACHED_RESULTS',
  ),
  MILLRACE_CACHED_RESULT_CHARACTERS: number(
    fixedLimits.cachedResultCharacters,
    'size of a cached result in characters',
  ),
  MILLRACE_MAXIMUM_EVENT_LOOP_LAG_MILLISECONDS: number(
    fixedLimits.eventLoopLagMilliseconds,
    'lag of the event loop above which an executor runs fewer runs',
    'MILLRACE_MAXIMUM_LAG_MILLISECONDS',
  ),
  MILLRACE_WATCHDOG_SECONDS: number(
    fixedLimits.watchdogMilliseconds / 1_000,
    'how long the event loop of an executor can be blocked',
    'MILLRACE_STALL_SECONDS',
  ),
  MILLRACE_SCRIPT_MILLISECONDS: number(fixedLimits.scriptMilliseconds, 'duration of a call of a script'),
  MILLRACE_SCRIPT_MEMORY_BYTES: size(fixedLimits.scriptMemoryBytes, 'memory of a call of a script'),
  MILLRACE_PYTHON_KEEP_SECONDS: number(
    fixedLimits.pythonKeepMilliseconds / 1_000,
    'how long a Python process is kept for the next run',
  ),
  MILLRACE_PYTHON_MEMORY_BYTES: size(fixedLimits.pythonMemoryBytes, 'address space of a Python process'),
  MILLRACE_PYTHON_FILE_BYTES: size(fixedLimits.pythonFileBytes, 'size of a file of a Python process'),
  MILLRACE_PYTHON_THREADS: number(fixedLimits.pythonThreads, 'threads of a Python process'),
  MILLRACE_PYTHON_OPEN_FILES: number(fixedLimits.pythonOpenFiles, 'open files of a Python process'),
  MILLRACE_PYTHON_CPU_SECONDS: number(fixedLimits.pythonCpuSeconds, 'CPU time of a Python process'),
  MILLRACE_EXAMPLES_DIRECTORY: text({
    default: fixedLimits.examplesDirectory,
    description: 'folder of the flows that a new standalone app loads',
  }),
};

/** The names of removed settings, former ones included. */
export const removedSettingNames = Object.entries(removedSettings).flatMap(([name, { formerly }]) => [
  name,
  ...formerly,
]);

/** Returns a sentence about each removed setting that is set to another value than the constant. */
export function removedSettingWarnings(environment: Environment): readonly string[] {
  return Object.entries(removedSettings).flatMap(([name, setting]) =>
    [name, ...setting.formerly]
      .filter((used) => differs(used, setting, environment))
      .map(
        (used) =>
          `${used} is no longer a setting and has no effect: the value is always ${setting.defaultText}; see docs/operate/upgrades.md#removed-settings`,
      ),
  );
}

function differs(name: string, setting: Setting<unknown>, environment: Environment): boolean {
  try {
    return settingTexts([name], environment).some(
      ({ text: value }) => setting.parse(value) !== setting.absent,
    );
  } catch {
    // A value that cannot be read was to be another one, and stops no start.
    return true;
  }
}
