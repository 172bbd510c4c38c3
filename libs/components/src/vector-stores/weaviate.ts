import { boolean, ComponentError, jsonValue, secret, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { batches } from '../integrations/http/batches';
import { defineVectorStore } from './definition/define-vector-store';
import { scalarMetadata } from '../integrations/vector-stores/json-metadata';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import { serviceAddress } from '../integrations/http/service-address';
import { separateText } from './ingestion/separate-text';
import type { StoredText, StoreSearch, VectorStore } from '../integrations/vector-stores/vector-store';

const inputs = {
  url: text({
    displayName: 'Weaviate URL',
    plain: true,
    required: true,
    default: 'http://localhost:8080',
  }),
  api_key: secret({ displayName: 'API Key' }),
  index_name: text({ displayName: 'Index Name', plain: true, required: true }),
  text_key: text({ displayName: 'Text Key', plain: true, default: 'text', advanced: true }),
  search_by_text: boolean({ displayName: 'Search By Text', advanced: true }),
};

type Values = InputValues<typeof inputs>;

const service = 'Weaviate';
const maximumObjects = 100;
/** The valid names of properties, which queries can use. */
const propertyName = /^[_A-Za-z][_0-9A-Za-z]{0,230}$/;
const plainTypes: ReadonlySet<string> = new Set([
  'text',
  'string',
  'int',
  'number',
  'boolean',
  'date',
  'uuid',
]);

export default defineVectorStore({
  type: 'Weaviate',
  aliases: ['WeaviateVectorStoreComponent'],
  displayName: 'Weaviate',
  description: 'Stores texts in a Weaviate class and searches it.',
  inputs,
  open: (values, context) => new WeaviateStore(values, context),
});

class WeaviateStore implements VectorStore {
  readonly makesVectors = false;
  readonly #values: Values;
  readonly #context: ComponentContext;
  readonly #root: string;

  constructor(values: Values, context: ComponentContext) {
    const { index_name } = values;
    const capitalized = index_name.charAt(0).toUpperCase() + index_name.slice(1);
    if (index_name !== capitalized) {
      throw new ComponentError(`Weaviate requires the index name to be capitalized. Use: ${capitalized}`);
    }
    if (!propertyName.test(index_name))
      throw new ComponentError('Weaviate needs an index name of letters and digits.');
    if (!propertyName.test(values.text_key))
      throw new ComponentError('Weaviate needs a text key of letters and digits.');
    this.#values = values;
    this.#context = context;
    this.#root = serviceAddress(values.url, service);
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const { index_name, text_key } = this.#values;
    for (const batch of batches(texts, maximumObjects)) {
      const objects = batch.map(({ id, text: content, metadata, vector }) => ({
        class: index_name,
        id,
        properties: { ...namedProperties(metadata), [text_key]: content },
        vector: [...(vector ?? [])],
      }));
      const answer = await this.#post('batch/objects', { objects });
      refuseErrors(
        objectsMember({ answer }, 'answer').flatMap((one) => objectsMember(one, 'result', 'errors', 'error')),
      );
    }
  }

  async search({ vector, limit, withVectors }: StoreSearch): ReturnType<VectorStore['search']> {
    const { index_name, text_key } = this.#values;
    const properties = await this.#properties();
    const further = withVectors ? 'distance vector' : 'distance';
    const near = JSON.stringify(vector ?? []);
    const query =
      `{ Get { ${index_name}(nearVector: {vector: ${near}}, limit: ${limit}) ` +
      `{ ${properties.join(' ')} _additional { ${further} } } } }`;
    const answer = await this.#post('graphql', { query });
    refuseErrors(objectsMember(answer, 'errors'));
    return objectsMember(answer, 'data', 'Get', index_name).map((object) => {
      const { _additional: additional = null, ...fields } = object;
      const present = Object.entries(fields).filter(([, value]) => value !== null);
      const distance = numberOf(member(additional, 'distance'));
      return {
        ...separateText(Object.fromEntries(present), text_key),
        similarity: distance === null ? null : 1 - distance / 2,
        vector: numberList(member(additional, 'vector')),
      };
    });
  }

  /** Returns the properties of the class that are not nested. */
  async #properties(): Promise<readonly string[]> {
    const { index_name, text_key } = this.#values;
    const answer = await this.#call(`schema/${index_name}`, {});
    const plain = objectsMember(answer, 'properties').filter((property) => {
      const types: PythonValue = property['dataType'] ?? null;
      return Array.isArray(types) && types.every((type) => typeof type === 'string' && plainTypes.has(type));
    });
    const names = plain
      .map((property) => textMember(property, 'name'))
      .filter((name) => propertyName.test(name));
    return [...new Set([text_key, ...names])];
  }

  #post(path: string, body: PythonObject): Promise<PythonValue> {
    return this.#call(path, { method: 'POST', json: jsonValue(body), repeatable: true });
  }

  #call(
    path: string,
    how: { readonly method?: string; readonly json?: unknown; readonly repeatable?: boolean },
  ): Promise<PythonValue> {
    const key = this.#values.api_key.trim();
    const headers: Readonly<Record<string, string>> = key === '' ? {} : { authorization: `Bearer ${key}` };
    return callJson(
      { service, url: `${this.#root}/v1/${path}`, headers, secrets: [key], ...how },
      this.#context,
    );
  }
}

/** `id` and `vector` are reserved by Weaviate; names that are not valid for properties are left out. */
function namedProperties(metadata: PythonObject): PythonObject {
  return Object.fromEntries(
    Object.entries(scalarMetadata(metadata)).filter(
      ([name]) => propertyName.test(name) && !['id', 'vector', '_id', '_additional'].includes(name),
    ),
  );
}

function refuseErrors(errors: readonly PythonObject[]): void {
  const [first] = errors;
  if (first === undefined) return;
  throw new ComponentError(`Weaviate refused: ${textMember(first, 'message').slice(0, 300)}`);
}
