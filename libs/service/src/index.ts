export { createLogger } from './logging/create-logger';
export { LineLimit } from './logging/line-limit';
export type { Logger, LogMethod } from './logging/logger';
export { redactText } from './logging/redaction';
export { boolean, bytes, choice, integer, list, share, text, url } from './settings/kinds';
export { accessLogSetting } from './settings/access-log-setting';
export type { AccessLogRule } from './settings/access-log-setting';
export { autoscaleSettings, backlogSettings } from './settings/autoscale-settings';
export { fixedLimits } from './settings/fixed-limits';
export { bufferedBodiesSetting, bodySettings } from './settings/body-settings';
export { commonSettings, databaseReplicaSetting } from './settings/common-settings';
export { langflowRelease } from './settings/compatibility-setting';
export type { LangflowRelease } from './settings/compatibility-setting';
export { defineSettings } from './settings/define-settings';
export { langflowSettings, translateSettings, withLangflowSettings } from './settings/langflow-settings';
export { awaitExecutorsSetting } from './settings/await-executors-setting';
export { describeSettings } from './settings/describe-settings';
export { drainSetting } from './settings/drain-setting';
export { codeSettings } from './settings/code-settings';
export { readJsonFile } from './settings/read-json-file';
export { pythonProcessSettings, pythonSettings } from './settings/python-settings';
export { checkPythonExposure, pythonModeWithOption, pythonPoolOf } from './settings/python-rules';
export { environmentVariables, environmentVariablesSetting } from './settings/environment-variables';
export { isPlaceholderKey } from './settings/guessable-key';
export { objectAddress } from './settings/object-address';
export type { ObjectAddress } from './settings/object-address';
export { removedSettings } from './settings/removed-settings';
export { readSettings } from './settings/read-settings';
export type { Environment } from './settings/setting-text';
export { callerSettings, durableRunSettings } from './settings/run-settings';
export { settingsList } from './settings/settings-list';
export { postgresHosts, postgresPlace } from './servers/postgres-hosts';
export type { PostgresHosts, PostgresTarget } from './servers/postgres-hosts';
export { redisAddress, redisPlace } from './servers/redis-address';
export { serverTls } from './settings/tls-settings';
export type { ServerTls, TlsMaterial } from './settings/tls-settings';
export { tlsFailure } from './settings/tls-failure';
export { workersSetting } from './settings/workers-setting';
export { isSafeUrl, Members } from './settings/members';
export { parseSecretStore } from './settings/secret-store-setting';
export type { VaultSettings } from './settings/secret-store-setting';
export { SettingsError } from './settings/settings-error';
export { setting } from './settings/setting';
export type { SettingOf, SettingsDefinition, SettingsValues } from './settings/setting';
export { createMetrics } from './metrics/create-metrics';
export { measureChecks } from './health/measure-checks';
export { measureProcess } from './metrics/measure-process';
export type { Counter, Histogram, MetricAttributes, Metrics } from './metrics/metrics';
export { startTelemetry } from './telemetry/start-telemetry';
export type { Telemetry } from './telemetry/telemetry';
export { contextOfAttempt } from './telemetry/attempt-context';
export type { SpanAttempt } from './telemetry/attempt-context';
export { recordUnendedSpan } from './telemetry/record-span';
export type { StartedSpan, StartedSpanStore } from './telemetry/started-spans';
export {
  activeTraceparent,
  inTraceOf,
  inTraceOfMessage,
  injectTraceContext,
  nameActiveRoute,
  propagatesTraces,
  recordedTraceparent,
  spanContextOf,
  withSpanId,
} from './telemetry/trace-context';
export { syncFile, syncFolder, syncTree } from './files/sync-folder.cjs';
export { Health } from './health/health';
export { isAddressWithin, parseAddressRange } from './outgoing/address-range';
export type { AddressRange } from './outgoing/address-range';
export { createOutgoingDial } from './outgoing/create-outgoing-dial';
export type { OutgoingDial } from './outgoing/create-outgoing-dial';
export { createOutgoingFetch } from './outgoing/create-outgoing-fetch';
export type { OutgoingFetch } from './outgoing/create-outgoing-fetch';
export { boundedFetch, everyAddress } from './outgoing/bounded-fetch';
export { createOutgoingGuard } from './outgoing/create-outgoing-guard';
export type { OutgoingGuard } from './outgoing/create-outgoing-guard';
export { OutgoingRefusedError } from './outgoing/outgoing-refused-error';
export { programSettings } from './options/program-settings';
export { listenAlso, listenShared } from './process/listen-shared';
export { ReservedPort } from './process/reserved-port';
export { StartError } from './process/start-error';
export { processName } from './process/process-name';
export { isRunning, processStart } from './process/running-process.cjs';
export { runService } from './process/run-service';
export { shareMetrics } from './process/workers/share-metrics';
export { startWatchdog } from './process/watchdog';
export { watchMemory } from './process/watch-memory';
export { backoff } from './time/backoff';
export { machineTime } from './time/machine-time';
export { localClock } from './time/shared-clock';
export type { SharedClock } from './time/shared-clock';
export { SharedPlaces } from './time/shared-places';
export { TokenBuckets } from './time/token-buckets';
export { TimeoutError, withDeadline } from './time/with-deadline';
export { version } from './version.cjs';
export { uuidv7 } from './uuidv7';
