import {
  boolean,
  ComponentError,
  dictionary,
  dropdown,
  float,
  isDict,
  jsonValue,
  secret,
  text,
} from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { withoutSecrets } from '../integrations/http/service-error';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { batches } from '../integrations/http/batches';
import { defineVectorStore } from './definition/define-vector-store';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import { serviceAddress } from '../integrations/http/service-address';
import { separateText } from './ingestion/separate-text';
import type { StoredText, StoreSearch, VectorStore } from '../integrations/vector-stores/vector-store';

const inputs = {
  collection_name: text({ displayName: 'Collection Name', plain: true, default: 'langflow' }),
  collection_description: text({ displayName: 'Collection Description', plain: true }),
  uri: text({ displayName: 'Connection URI', plain: true, default: 'http://localhost:19530' }),
  password: secret({ displayName: 'Token' }),
  connection_args: dictionary({ displayName: 'Other Connection Arguments', advanced: true }),
  primary_field: text({ displayName: 'Primary Field Name', plain: true, default: 'pk' }),
  text_field: text({ displayName: 'Text Field Name', plain: true, default: 'text' }),
  vector_field: text({ displayName: 'Vector Field Name', plain: true, default: 'vector' }),
  consistency_level: dropdown({
    displayName: 'Consistency Level',
    options: ['Bounded', 'Session', 'Strong', 'Eventual'],
    default: 'Session',
    advanced: true,
  }),
  index_params: dictionary({ displayName: 'Index Parameters', advanced: true }),
  search_params: dictionary({ displayName: 'Search Parameters', advanced: true }),
  drop_old: boolean({ displayName: 'Drop Old Collection', advanced: true }),
  timeout: float({ displayName: 'Timeout', advanced: true }),
};

type Values = InputValues<typeof inputs>;

const service = 'Milvus';
const maximumEntities = 100;
/** Calls that change no state. */
const repeatable: ReadonlySet<string> = new Set(['collections/has', 'entities/search']);

export default defineVectorStore({
  type: 'Milvus',
  aliases: ['MilvusVectorStoreComponent'],
  displayName: 'Milvus',
  description: 'Stores texts in a collection of Milvus and searches it.',
  inputs,
  open: (values, context) => new MilvusStore(values, context),
});

class MilvusStore implements VectorStore {
  readonly makesVectors = false;
  readonly #values: Values;
  readonly #context: ComponentContext;
  readonly #root: string;

  constructor(values: Values, context: ComponentContext) {
    if (!/^https?:\/\//.test(values.uri)) {
      throw new ComponentError('Milvus needs the address of a server; Milvus Lite files are not supported.');
    }
    this.#values = values;
    this.#context = context;
    this.#root = `${serviceAddress(values.uri, service)}/v2/vectordb`;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const { text_field, vector_field } = this.#values;
    await this.#makeCollection(texts[0]?.vector?.length ?? 0);
    for (const batch of batches(texts, maximumEntities)) {
      const data = batch.map(({ text: content, metadata, vector }) => ({
        ...metadata,
        [text_field]: content,
        [vector_field]: [...(vector ?? [])],
      }));
      await this.#send('entities/insert', { data });
    }
  }

  async search({ vector, limit, withVectors }: StoreSearch): ReturnType<VectorStore['search']> {
    const { primary_field, text_field, vector_field, consistency_level, search_params } = this.#values;
    const answer = await this.#send('entities/search', {
      data: [[...(vector ?? [])]],
      annsField: vector_field,
      limit,
      outputFields: ['*'],
      consistencyLevel: consistency_level === 'Eventual' ? 'Eventually' : consistency_level,
      ...(Object.keys(search_params).length === 0 ? {} : { searchParams: search_params }),
    });
    return objectsMember(answer, 'data').map((entity) => {
      const own = new Set(['distance', 'id', primary_field, vector_field]);
      const fields = Object.fromEntries(Object.entries(entity).filter(([name]) => !own.has(name)));
      return {
        ...separateText(fields, text_field),
        similarity: numberOf(entity['distance'] ?? null),
        vector: withVectors ? numberList(entity[vector_field] ?? null) : null,
      };
    });
  }

  async #makeCollection(dimension: number): Promise<void> {
    const { primary_field, vector_field, drop_old, collection_description, index_params } = this.#values;
    const exists = member(await this.#send('collections/has', {}), 'data', 'has') === true;
    if (exists && !drop_old) return;
    if (exists) await this.#send('collections/drop', {});
    await this.#send('collections/create', {
      dimension,
      metricType: textMember(index_params, 'metric_type') || 'COSINE',
      idType: 'Int64',
      autoID: true,
      primaryFieldName: primary_field,
      vectorFieldName: vector_field,
      ...(collection_description === '' ? {} : { description: collection_description }),
    });
  }

  /** Milvus responds with status 200 and its own code, which is 0 for success. */
  async #send(path: string, body: PythonObject): Promise<PythonValue> {
    const { collection_name, password, connection_args, timeout } = this.#values;
    const database = isDict(connection_args) ? textMember(connection_args, 'db_name') : '';
    const answer = await callJson(
      {
        service,
        url: `${this.#root}/${path}`,
        method: 'POST',
        headers: password === '' ? {} : { authorization: `Bearer ${password}` },
        json: jsonValue({
          ...(database === '' ? {} : { dbName: database }),
          collectionName: collection_name || 'langflow',
          ...body,
        }),
        secrets: [password],
        repeatable: repeatable.has(path),
        ...(timeout !== null && timeout > 0 ? { timeoutMilliseconds: timeout * 1000 } : {}),
      },
      this.#context,
    );
    const code = member(answer, 'code');
    // Older servers return code 200 for success.
    if (code === 0 || code === 200) return answer;
    const errorText = withoutSecrets(textMember(answer, 'message'), [password]).slice(0, 300);
    throw new ComponentError(`Milvus refused ${path}: ${errorText}`);
  }
}
