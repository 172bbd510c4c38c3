import type { SettingsDefinition } from './setting';
import type { Environment } from './setting-text';

/** What a variable of Langflow means here. */
export interface LangflowSetting {
  /** The setting with the same meaning; null when there is none. */
  readonly setting: string | null;
  /** False where services do not read it: the value has to be chosen anew. */
  readonly isRead?: boolean;
  /** Read only by services that have this setting, too. */
  readonly beside?: string;
  /** Converts the value; unchanged unless given. */
  readonly convert?: (value: string) => string;
  /** What differs, or what to do. */
  readonly note: string;
}

const same = (setting: string, note = ''): LangflowSetting => ({ setting, note });
const none = (note: string): LangflowSetting => ({ setting: null, note });
const isTrue = (value: string) => ['1', 'true', 'yes', 'on', 't', 'y'].includes(value.toLowerCase());

/** The variables of Langflow 1.13 that an installation sets, and what they mean here. */
export const langflowSettings: Readonly<Record<string, LangflowSetting>> = {
  LANGFLOW_HOST: same('HOST'),
  LANGFLOW_PORT: same('PORT'),
  LANGFLOW_LOG_LEVEL: {
    setting: 'LOG_LEVEL',
    convert: (value) =>
      ({ warning: 'warn', critical: 'fatal', notset: 'debug' })[value.toLowerCase()] ?? value.toLowerCase(),
    note: 'The levels `warning` and `critical` are `warn` and `fatal`.',
  },
  LANGFLOW_WORKERS: {
    setting: 'MILLRACE_WORKERS',
    beside: 'PORT',
    note: 'Read by each service that has it: set it for the gateway alone. Executors scale on their own.',
  },
  LANGFLOW_DATABASE_URL: none(
    'The database of Langflow has other tables. `millrace migrate` reads it; set DATABASE_URL to another database.',
  ),
  LANGFLOW_SECRET_KEY: none(
    '`millrace migrate` decrypts with it. Millrace encrypts with MILLRACE_ENCRYPTION_KEY.',
  ),
  LANGFLOW_CONFIG_DIR: none('`millrace migrate --files` reads it. Files are stored in the database.'),
  LANGFLOW_SAVE_DB_IN_CONFIG_DIR: none('See LANGFLOW_CONFIG_DIR.'),
  LANGFLOW_AUTO_LOGIN: none('Every caller needs an API key; the first one is printed at the first start.'),
  LANGFLOW_SKIP_AUTH_AUTO_LOGIN: none('Every caller needs an API key.'),
  LANGFLOW_SUPERUSER: none('The first user is `admin`; `millrace users create --admin` makes others.'),
  LANGFLOW_SUPERUSER_PASSWORD: none('Users have API keys, and no passwords.'),
  LANGFLOW_NEW_USER_IS_ACTIVE: none('A user that an admin creates is active.'),
  LANGFLOW_ENABLE_SIGNUP: none('Only admins create users.'),
  LANGFLOW_WEBHOOK_AUTH_ENABLE: {
    setting: 'MILLRACE_WEBHOOK_AUTH',
    convert: (value) => (isTrue(value) ? 'required' : 'off'),
    note: '`true` is `required`, `false` is `off`.',
  },
  LANGFLOW_STORE_ENVIRONMENT_VARIABLES: none(
    'Flows read permitted environment variables directly; see MILLRACE_ENVIRONMENT_VARIABLES.',
  ),
  LANGFLOW_VARIABLES_TO_GET_FROM_ENVIRONMENT: same(
    'MILLRACE_ENVIRONMENT_VARIABLES',
    'Flows read them directly; nothing is stored.',
  ),
  LANGFLOW_FALLBACK_TO_ENV_VAR: none(
    'A variable that is not stored is looked up in the permitted environment variables.',
  ),
  LANGFLOW_MAX_FILE_SIZE_UPLOAD: {
    setting: 'MILLRACE_MAXIMUM_UPLOAD_BYTES',
    convert: (value) => `${value}MiB`,
    note: 'Megabytes there, a number with a unit here.',
  },
  LANGFLOW_WORKFLOW_EXECUTION_TIMEOUT: same(
    'MILLRACE_RUN_DEADLINE_SECONDS',
    'Of every run whose caller waits.',
  ),
  LANGFLOW_BACKGROUND_JOB_TIMEOUT: same('MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS', 'Of each attempt.'),
  LANGFLOW_WORKER_TIMEOUT: none('No process is ended for a slow run; runs have deadlines.'),
  LANGFLOW_REDIS_URL: {
    setting: 'REDIS_URL',
    isRead: false,
    note: 'Not read: use a server or a prefix of its own, REDIS_URL and MILLRACE_PREFIX.',
  },
  LANGFLOW_CACHE_TYPE: none('REDIS_URL selects Redis; without it, values are in memory.'),
  LANGFLOW_JOB_QUEUE_TYPE: none('AMQP_URL selects RabbitMQ; without it, runs are queued in the process.'),
  LANGFLOW_REDIS_QUEUE_URL: none('Runs go through RabbitMQ: AMQP_URL.'),
  LANGFLOW_DEACTIVATE_TRACING: none('Traces are off unless OTEL_EXPORTER_OTLP_ENDPOINT is set.'),
  LANGFLOW_PROMETHEUS_ENABLED: none('`/metrics` is always served.'),
  LANGFLOW_PROMETHEUS_PORT: none('`/metrics` is on the port of the service.'),
  LANGFLOW_SENTRY_DSN: none('Send OpenTelemetry traces and logs instead.'),
  LANGFLOW_ALLOW_CUSTOM_COMPONENTS: none(
    'MILLRACE_PYTHON decides whether code of authors runs; an admin approves it.',
  ),
  LANGFLOW_COMPONENTS_PATH: none('Put the code into the flows, or packages into the Python environment.'),
  LANGFLOW_BUNDLE_URLS: none('Bundles are not loaded.'),
  LANGFLOW_LOAD_FLOWS_PATH: same(
    'MILLRACE_APPLY_DIRECTORY',
    'Flows that are equal stay as they are. A flow needs an id or an endpoint name.',
  ),
  LANGFLOW_SERVING_END_USER_HEADER: none('Keys with `end_users` take the header `X-End-User-Id`.'),
  LANGFLOW_SERVING_TRUST_PROXY_HEADERS: none('See LANGFLOW_SERVING_END_USER_HEADER.'),
  LANGFLOW_SERVING_END_USER_REQUIRED: none('Every request of a key with `end_users` needs an end user.'),
  LANGFLOW_SSRF_PROTECTION_ENABLED: none('Always on; MILLRACE_OUTGOING_ALLOW permits ranges of addresses.'),
  LANGFLOW_SSRF_ALLOWED_HOSTS: none('MILLRACE_OUTGOING_ALLOW takes ranges of addresses, not names.'),
  LANGFLOW_CORS_ORIGINS: none('Browsers call through a proxy that adds CORS headers.'),
  LANGFLOW_ROOT_PATH: none(
    'MILLRACE_PUBLIC_URL has the address at which callers reach the gateway, with its path.',
  ),
  LANGFLOW_SSL_CERT_FILE: none('A proxy in front of the gateway ends TLS.'),
  LANGFLOW_SSL_KEY_FILE: none('A proxy in front of the gateway ends TLS.'),
  LANGFLOW_MAX_FLOW_VERSION_ENTRIES_PER_FLOW: same('MILLRACE_KEPT_FLOW_VERSIONS'),
  LANGFLOW_AUDIT_RETENTION_DAYS: same('MILLRACE_AUDIT_RETENTION_DAYS'),
  LANGFLOW_BACKEND_ONLY: none('There is no editor: flows are edited in Langflow and imported.'),
  LANGFLOW_FRONTEND_PATH: none('There is no editor.'),
  LANGFLOW_OPEN_BROWSER: none('No browser is opened.'),
  LANGFLOW_STORAGE_TYPE: none('Files are stored in the database.'),
  LANGFLOW_TWEAKS_POLICY: none('Tweaks of protected fields are ignored, or refused, as in Langflow 1.13.'),
  LANGFLOW_MCP_SERVER_ENABLED: none('Flows are always served as MCP tools, at /api/v1/mcp/streamable.'),
};

/** A variable of Langflow that is set, as lines of an environment file. */
export interface TranslatedSetting {
  readonly name: string;
  /** `SETTING=value`; null when no setting has the same meaning. */
  readonly line: string | null;
  readonly note: string;
}

/** Translates the variables of Langflow among these. */
export function translateSettings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly TranslatedSetting[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!name.startsWith('LANGFLOW_') || value === '') return [];
    const known = langflowSettings[name];
    if (known === undefined) return [{ name, line: null, note: 'has no counterpart here' }];
    const { setting, convert = (text) => text, note } = known;
    return [{ name, line: setting === null ? null : `${setting}=${convert(value)}`, note }];
  });
}

/**
 * Adds settings from variables of Langflow that mean the same, where the setting itself is not set. Returns one sentence
 * about each other variable of Langflow that is set.
 */
export function withLangflowSettings(
  definition: SettingsDefinition,
  environment: Environment,
): { readonly environment: Environment; readonly warnings: readonly string[] } {
  const added: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!name.startsWith('LANGFLOW_') || value === '') continue;
    const known = langflowSettings[name];
    const setting = known?.setting ?? null;
    if (known === undefined || setting === null || known.isRead === false) {
      warnings.push(`${name} is set and has no effect: ${known?.note ?? 'it has no counterpart here'}`);
      continue;
    }
    const own = definition[setting];
    // A setting of another service, or one that is set itself.
    if (own === undefined || isSet([setting, ...own.formerly], environment)) continue;
    if (known.beside !== undefined && !(known.beside in definition)) continue;
    const text = (known.convert ?? String)(value);
    const fault = faultOf(() => own.parse(text));
    if (fault === undefined) added[setting] = text;
    else warnings.push(`${name} is set and has no effect: as ${setting} it ${fault}`);
  }
  return { environment: { ...environment, ...added }, warnings };
}

function isSet(names: readonly string[], environment: Environment): boolean {
  return names.some((name) => Boolean(environment[name] ?? environment[`${name}_FILE`]));
}

function faultOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
