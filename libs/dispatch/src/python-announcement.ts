import { KeyValueUnavailableError } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import type { Logger } from '@millrace/service';

/** As the announcement of a worker: it outlasts two missed heartbeats. */
const TTL_MILLISECONDS = 15_000;

/** The Python of the executors of a pool. */
export interface AnnouncedPython {
  /** Such as `3.11.7`. */
  readonly python: string;
  /** The version of lfx. */
  readonly lfx: string;
  /** The name of the set of packages that is installed. */
  readonly packageSet: string;
  /** The class of each stock component, by type. */
  readonly components: ReadonlyMap<string, string>;
  /** The names of the top-level modules that a text can import. */
  readonly modules: ReadonlySet<string>;
  /** How far processes are sealed: `sealed`, `partly` or `open`. */
  readonly seal: string;
}

export interface PythonAnnouncementOptions {
  readonly keyValue: Pick<KeyValueStore, 'get' | 'set'>;
  readonly logger: Logger;
}

/**
 * The announcement of the Python of a pool in the key-value store, from which gateways know what the flows of the pool
 * can use. It expires unless an executor renews it. Executors of one pool must have the same Python: the last one that
 * wrote is read.
 */
export class PythonAnnouncement {
  readonly #keyValue: Pick<KeyValueStore, 'get' | 'set'>;
  readonly #logger: Logger;

  constructor({ keyValue, logger }: PythonAnnouncementOptions) {
    this.#keyValue = keyValue;
    this.#logger = logger;
  }

  /** Announces the Python of this executor. Never rejects: the key-value store may be unavailable. */
  async write(pool: string, { components, modules, ...rest }: AnnouncedPython): Promise<void> {
    const text = JSON.stringify({
      ...rest,
      components: Object.fromEntries(components),
      modules: [...modules],
    });
    await this.#keyValue.set(keyOf(pool), text, { ttlMilliseconds: TTL_MILLISECONDS }).catch(() => undefined);
  }

  /** Resolves to the Python of a pool; null when none is announced, or when it is unknown. Never rejects. */
  async read(pool: string): Promise<AnnouncedPython | null> {
    const text = await this.#keyValue.get(keyOf(pool)).catch((error: unknown) => {
      if (!(error instanceof KeyValueUnavailableError)) {
        this.#logger.warn({ error, pool }, 'the announcement of Python could not be read');
      }
      return null;
    });
    if (text === null) return null;
    const announced = parseAnnouncement(text);
    if (announced === null) {
      this.#logger.warn({ pool, characters: text.length }, 'announcement of Python ignored: it is malformed');
    }
    return announced;
  }
}

function keyOf(pool: string): string {
  return `python-environment:${pool}`;
}

function parseAnnouncement(text: string): AnnouncedPython | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const { python, lfx, packageSet, components, modules, seal } = value;
  const hasTexts = isText(python) && isText(lfx) && isText(packageSet) && isText(seal);
  if (!hasTexts || !isRecord(components) || !Array.isArray(modules)) return null;
  const classes = Object.entries(components).filter((entry): entry is [string, string] => isText(entry[1]));
  if (classes.length < Object.keys(components).length || !modules.every(isText)) return null;
  return { python, lfx, packageSet, seal, components: new Map(classes), modules: new Set(modules) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
