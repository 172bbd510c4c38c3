import { readJsonFile } from '@millrace/service';
import builtIn from './model-prices.json';

const TOKENS = 1_000_000;
/** A date or "latest" at the end of the name of a version of a model. A preview can have a price of its own. */
const VERSION = /(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-latest|@\d{8})$/;

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The most tokens that the model can answer with, where that is known. */
  readonly maximumOutput?: number;
}

/** As many as the models with the longest answers give. */
const MAXIMUM_OUTPUT = 128_000;

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

  /** Returns the most tokens that a model answers with when the request sets no maximum. */
  maximumOutput(provider: string, model: string): number {
    return this.#priceOf(provider.toLowerCase(), model.toLowerCase())?.maximumOutput ?? MAXIMUM_OUTPUT;
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
    const { maximumOutput = 1 } = price;
    if (!isPrice(maximumOutput) || maximumOutput === 0)
      throw new Error(`must have a number "maximumOutput" above 0, or none, for the model "${name}"`);
  }
  return models as unknown as PriceTable;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
