import { textArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { DeduplicatedText } from '@millrace/messages';
import type { Logger } from '@millrace/service';
import { CHECK_MILLISECONDS, countEarlierServices } from './earlier-services';
import { deriveTemplate, encodeText } from './text-template';
import type { RowValues, TextTemplate } from './text-template';

/** Bounds of what a process keeps: templates, and flows with the templates that their latest texts had. */
const MAXIMUM_TEMPLATES = 1_024;
const MAXIMUM_FLOWS = 1_024;
const MAXIMUM_TEMPLATES_OF_FLOW = 4;
/** Templates that the database keeps. They are shared by all flows; a few dozen are usual. */
const MAXIMUM_STORED = 4_096;
/** After several texts of a flow without a template that is known, most of its texts are stored whole. */
const MAXIMUM_SKIPPED = 1_024;
const RETRY_MILLISECONDS = 10_000;
export const VALID_MILLISECONDS = 30_000;
const STORE = {
  name: 'text-templates-store',
  text: `INSERT INTO text_templates (digest, parts, holes)
    SELECT $1, $2::text[], $3::int[] WHERE (SELECT count(*) FROM text_templates) < ${MAXIMUM_STORED}
    ON CONFLICT DO NOTHING`,
};

const IS_STORED = {
  name: 'text-templates-find',
  text: 'SELECT FROM text_templates WHERE digest = $1 AND parts = $2::text[] AND holes = $3::int[]',
};

const FIND_STORED = {
  name: 'text-templates-stored',
  text: 'SELECT digest FROM text_templates WHERE digest = ANY($1::text[])',
};

export interface TextTemplatesOptions {
  readonly database: Database;
  readonly logger?: Pick<Logger, 'warn' | 'info'> | undefined;
}

type Column = 'answer' | 'request' | 'usage' | 'message';

interface FlowTemplates {
  readonly latest: TextTemplate[];
  /** Texts in a row without a known template. */
  misses: number;
  /** How many texts are still stored whole without looking for a template. */
  skips: number;
}

const newFlows = () => new Map<string | null, FlowTemplates>();

function templatesOf(flows: Map<string | null, FlowTemplates>, flowId: string | null): FlowTemplates {
  const found = flows.get(flowId);
  if (found !== undefined) return found;
  if (flows.size >= MAXIMUM_FLOWS) deleteFirst(flows);
  const created = { latest: [], misses: 0, skips: 0 };
  flows.set(flowId, created);
  return created;
}

/**
 * Writes JSON texts as the digest of a template and their values; `whole_text` in the database reads them. A text whose template
 * is not stored yet is written whole, and so is each text while a service of an earlier release is connected. Never waits.
 */
export class TextTemplates {
  readonly #database: Database;
  readonly #logger: Pick<Logger, 'warn' | 'info'> | undefined;
  /** By column and flow, the oldest first. */
  readonly #flows = { answer: newFlows(), request: newFlows(), usage: newFlows(), message: newFlows() };
  readonly #stored = new Map<string, TextTemplate>();
  #isStoring = false;
  #storesAgainAt = 0;
  #checkedAt = -Infinity;
  #isChecking = false;
  #areReadable = false;

  constructor({ database, logger }: TextTemplatesOptions) {
    this.#database = database;
    this.#logger = logger;
  }

  /** Returns the text to store. Texts of one flow in one column have few shapes. */
  write<Text extends string | null>(column: Column, whole: Text, row: RowValues): Text | string;
  write(
    column: Column,
    whole: string | Buffer | DeduplicatedText | null,
    row: RowValues,
  ): string | Buffer | null;
  write(
    column: Column,
    whole: string | Buffer | DeduplicatedText | null,
    row: RowValues,
  ): string | Buffer | null {
    if (whole === null) return null;
    const mayWrite = this.#mayWrite();
    if (!(whole instanceof DeduplicatedText))
      return (mayWrite ? this.#coded(column, whole.toString(), row) : null) ?? whole;
    const marked = mayWrite ? this.#coded(column, whole.marked(mark), row) : null;
    return marked === null ? whole.toBuffer() : unmarked(marked, whole.texts);
  }

  /** Returns the text as digest and values; null when it is to be stored whole. */
  #coded(column: Column, text: string, row: RowValues): string | null {
    const known = templatesOf(this.#flows[column], row.flowId);
    for (const template of known.latest) {
      const coded = encodeText(template, text, row);
      if (coded === null) continue;
      known.misses = 0;
      return coded;
    }
    if (known.skips > 0) {
      known.skips -= 1;
      return null;
    }
    // Many texts meet a template that is being stored.
    if (this.#isStoring) return null;
    known.misses += 1;
    if (known.misses > MAXIMUM_TEMPLATES_OF_FLOW) known.skips = Math.min(2 ** known.misses, MAXIMUM_SKIPPED);
    return this.#writeNew(known, text, row);
  }

  #writeNew(known: FlowTemplates, text: string, row: RowValues): string | null {
    const template = deriveTemplate(text, row);
    const coded = template && encodeText(template, text, row);
    if (template === null || coded === null) return null;
    if (!this.#stored.has(template.digest)) {
      void this.#store(template);
      return null;
    }
    known.latest.unshift(template);
    known.latest.length = Math.min(known.latest.length, MAXIMUM_TEMPLATES_OF_FLOW);
    return coded;
  }

  /** Stores a template, one at a time; texts of other ones are written whole in the meantime. */
  async #store(template: TextTemplate): Promise<void> {
    if (this.#isStoring || performance.now() < this.#storesAgainAt) return;
    this.#isStoring = true;
    try {
      const { digest, parts, holes } = template;
      const values = [digest, parts, holes];
      await this.#database.query({ ...STORE, values });
      const { rows } = await this.#database.query({ ...IS_STORED, values });
      if (rows.length === 0)
        throw new Error(
          `another template has this digest, or ${MAXIMUM_STORED} templates are stored, the maximum`,
        );
      if (this.#stored.size >= MAXIMUM_TEMPLATES) deleteFirst(this.#stored);
      this.#stored.set(digest, template);
    } catch (error) {
      this.#storesAgainAt = performance.now() + RETRY_MILLISECONDS;
      this.#logger?.warn({ error }, 'could not store the template of a text; such texts are stored whole');
    } finally {
      this.#isStoring = false;
    }
  }

  /**
   * Stores what the database has lost, such as by a failover or when a backup was restored while this process ran: texts that were
   * written in the meantime can be read again.
   */
  async #storeMissing(): Promise<void> {
    const digests = [...this.#stored.keys()];
    if (digests.length === 0) return;
    const { rows } = await this.#database.query<{ digest: string }>({
      ...FIND_STORED,
      values: [textArray(digests)],
    });
    const found = new Set(rows.map(({ digest }) => digest));
    const missing = [...this.#stored.values()].filter(({ digest }) => !found.has(digest));
    for (const template of missing) {
      this.#stored.delete(template.digest);
      await this.#store(template);
      if (this.#stored.has(template.digest)) continue;
      for (const { latest } of Object.values(this.#flows).flatMap((flows) => [...flows.values()])) {
        const index = latest.findIndex(({ digest }) => digest === template.digest);
        if (index !== -1) latest.splice(index, 1);
      }
    }
  }

  #mayWrite(): boolean {
    const now = performance.now();
    if (now - this.#checkedAt > CHECK_MILLISECONDS && !this.#isChecking) void this.#check(now);
    return this.#areReadable && now - this.#checkedAt < VALID_MILLISECONDS;
  }

  async #check(now: number): Promise<void> {
    this.#isChecking = true;
    try {
      const earlier = await countEarlierServices(this.#database);
      if (earlier > 0 && this.#areReadable)
        this.#logger?.info(
          { connections: earlier },
          'services of an earlier release are connected; texts are stored whole',
        );
      await this.#storeMissing();
      this.#areReadable = earlier === 0;
      this.#checkedAt = now;
    } catch (error) {
      this.#checkedAt = now - CHECK_MILLISECONDS / 2;
      this.#areReadable = false;
      this.#logger?.warn(
        { error },
        'could not look for services of an earlier release; texts are stored whole',
      );
    } finally {
      this.#isChecking = false;
    }
  }
}

/** Stands for a long text while a template is applied. JSON escapes this character, so that no text contains it. */
const mark = (index: number) => `\u0001text ${index}\u0001`;
// eslint-disable-next-line no-control-regex -- it is the character of a mark
const MARKS = /\u0001text (\d+)\u0001/;

function unmarked(coded: string, texts: readonly Buffer[]): Buffer {
  const parts = coded.split(MARKS);
  return Buffer.concat(
    parts.map(
      (part, position) => (position % 2 === 0 ? undefined : texts[Number(part)]) ?? Buffer.from(part),
    ),
  );
}

function deleteFirst<Key>(keys: { keys(): IterableIterator<Key>; delete(key: Key): unknown }): void {
  const first = keys.keys().next();
  if (!first.done) keys.delete(first.value);
}
