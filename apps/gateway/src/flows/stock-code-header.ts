import type { ServerResponse } from 'node:http';
import type { FlowReference } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { FlowTraits, FlowTraitsCache } from './flow-traits';

/** Names the vertices of a run whose edited code the stock component replaces. */
export const STOCK_CODE_HEADER = 'x-millrace-stock-code';

/** Longer lists end with how many more there are: proxies bound the headers of an answer. */
const MAXIMUM_CHARACTERS = 1_000;

export interface StockCodeHeaderOptions {
  readonly traits: FlowTraitsCache;
  readonly logger: Logger;
}

/** Says on the answer of each run which vertices run the stock component in place of edited code. */
export class StockCodeHeader {
  readonly #options: StockCodeHeaderOptions;

  constructor(options: StockCodeHeaderOptions) {
    this.#options = options;
  }

  /** Resolves at once for a version that ran here before. Never rejects: a run goes on without the header. */
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
        `${STOCK_CODE_HEADER} is left out: the flow version could not be read`,
      );
    }
  }
}

function setHeader(response: ServerResponse, { replacedVertices }: FlowTraits): void {
  if (replacedVertices.length === 0 || response.headersSent) return;
  response.setHeader(STOCK_CODE_HEADER, headerText(replacedVertices));
}

/** Lone surrogates become U+FFFD: they have no encoding. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Ids with commas between them; characters that a header cannot carry, and commas, are percent-encoded. */
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
