import type { ServerResponse } from 'node:http';
import type { FlowReference } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { FlowTraits, FlowTraitsCache } from '../flow-traits/flow-traits';

/** Two numbers of milliseconds and an id. */
const TIMING = /^(\d+\.\d) (\d+\.\d) (.+)$/s;
/** What a quoted text in a header cannot contain. */
const UNQUOTABLE = /[^ !#-[\]-~]/g;
const MAXIMUM_NAME_LENGTH = 100;

/**
 * Returns the header `Server-Timing` of a run: the time that the gateway needed for all, and, if the executor reported
 * it (header `x-timing` of its reply), the time in the queue and that of the slowest vertex.
 */
export function serverTiming(milliseconds: number, reported: string | null): string {
  const run = `run;dur=${milliseconds.toFixed(1)}`;
  const [, waited, slowest, vertexId] = TIMING.exec(reported ?? '') ?? [];
  if (waited === undefined || slowest === undefined || vertexId === undefined) return run;
  const name = vertexId.slice(0, MAXIMUM_NAME_LENGTH).replaceAll(UNQUOTABLE, '?');
  return `${run}, queue;dur=${waited}, vertex;dur=${slowest};desc="${name}"`;
}

/** Lists the vertices of a run whose edited code is replaced by the stock component. */
export const STOCK_CODE_HEADER = 'x-millrace-stock-code';

/** Longer lists are cut and end with the number of omitted ids, since proxies limit the size of headers. */
const MAXIMUM_CHARACTERS = 1_000;

export interface StockCodeHeaderOptions {
  readonly traits: FlowTraitsCache;
  readonly logger: Logger;
}

/** Sets the header that lists the vertices of a run whose edited code is replaced by the stock component. */
export class StockCodeHeader {
  readonly #options: StockCodeHeaderOptions;

  constructor(options: StockCodeHeaderOptions) {
    this.#options = options;
  }

  /**
   * Returns without a promise for a version that ran here before. Never rejects: the run continues without the header.
   */
  set(response: ServerResponse, flow: Pick<FlowReference, 'id' | 'version'>): void | Promise<void> {
    const known = this.#options.traits.peek(flow.id, flow.version);
    if (known === undefined) return this.#setLater(response, flow);
    setHeader(response, known);
  }

  async #setLater(response: ServerResponse, { id, version }: Pick<FlowReference, 'id' | 'version'>) {
    try {
      setHeader(response, await this.#options.traits.of(id, version));
    } catch (error) {
      this.#options.logger.warn(
        { error, flowId: id, version },
        `${STOCK_CODE_HEADER} omitted: the flow version could not be read`,
      );
    }
  }
}

function setHeader(response: ServerResponse, { replacedVertices }: FlowTraits): void {
  if (replacedVertices.length === 0 || response.headersSent) return;
  response.setHeader(STOCK_CODE_HEADER, headerText(replacedVertices));
}

/** Replaces lone surrogates, which cannot be encoded, by U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Joins ids with commas. Commas in ids, and characters that a header cannot contain, are percent-encoded. */
function headerText(ids: readonly string[]): string {
  let text = '';
  for (const [index, id] of ids.entries()) {
    const next = (index === 0 ? '' : ', ') + encodeURIComponent(wellFormed(id));
    if (text.length + next.length > MAXIMUM_CHARACTERS)
      return `${text}${index === 0 ? '' : ', '}(${ids.length - index} more)`;
    text += next;
  }
  return text;
}
