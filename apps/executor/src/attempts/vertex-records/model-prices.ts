import { readJsonFile } from '@millrace/service';
import builtIn from './model-prices.json';

const TOKENS = 1_000_000;
/** A date or "latest" at the end of the name of a version of a model. A preview can have a price of its own. */
const VERSION = /(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-latest|@\d{8})$/;

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
}

export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** The prices of models, by the name of the model or `provider/model`. */
export class ModelPrices {
  readonly #prices: ReadonlyMap<string, ModelPrice>;

  /** Without a table, the prices that come with this release. */
  constructor(table: PriceTable = builtIn.models) {
    this.#prices = new Map(Object.entries(table).map(([name, price]) => [name.toLowerCase(), price]));
  }

  /** Returns the cost in US dollars; null for an unknown model. */
  cost(
    provider: string,
    model: string,
    tokens: { readonly input: number; readonly output: number },
  ): number | null {
    const price = this.#priceOf(provider.toLowerCase(), model.toLowerCase());
    if (price === undefined) return null;
    const dollars = (tokens.input * price.input + tokens.output * price.output) / TOKENS;
    return Math.round(dollars * 1e8) / 1e8;
  }

  /** A dated version has the price of its model, unless the table has the version. */
  #priceOf(provider: string, model: string): ModelPrice | undefined {
    for (let name = model; ; name = name.replace(VERSION, '')) {
      const price = this.#prices.get(`${provider}/${name}`) ?? this.#prices.get(name);
      if (price !== undefined || !VERSION.test(name)) return price;
    }
  }
}

/** Reads a table of prices. Throws an Error that ends the sentence "MILLRACE_MODEL_PRICES …". */
export function readPriceTable(path: string): PriceTable {
  const content = readJsonFile(path);
  const models = isObject(content) ? content['models'] : undefined;
  if (!isObject(models))
    throw new Error('must name a file that contains a JSON object with a member "models"');
  for (const [name, price] of Object.entries(models)) {
    if (!isObject(price) || !isPrice(price['input']) || !isPrice(price['output']))
      throw new Error(`must have numbers "input" and "output", 0 or more, for the model "${name}"`);
  }
  return models as unknown as PriceTable;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPrice(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
