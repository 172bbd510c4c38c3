import { ComponentError, dropdown, integer, isDict, jsonValue, secret, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { callHttp } from '../integrations/http/call-http';
import { callJson } from '../integrations/http/call-service';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { serviceError } from '../integrations/http/service-error';
import { batches } from '../integrations/http/batches';
import { defineVectorStore } from './definition/define-vector-store';
import { localStore } from './definition/local-store';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import { serviceAddress } from '../integrations/http/service-address';
import type { StoredText, StoreSearch, VectorStore } from '../integrations/vector-stores/vector-store';

const inputs = {
  collection_name: text({ displayName: 'Collection Name', plain: true, required: true }),
  host: text({ displayName: 'Host', plain: true, default: 'localhost', advanced: true }),
  port: integer({ displayName: 'Port', default: 6333, advanced: true }),
  grpc_port: integer({ displayName: 'gRPC Port', default: 6334, advanced: true }),
  api_key: secret({ displayName: 'API Key', advanced: true }),
  prefix: text({ displayName: 'Prefix', plain: true, advanced: true }),
  timeout: integer({ displayName: 'Timeout', advanced: true }),
  path: text({ displayName: 'Path', plain: true, advanced: true }),
  url: text({ displayName: 'URL', plain: true, advanced: true }),
  distance_func: dropdown({
    displayName: 'Distance Function',
    options: ['Cosine', 'Euclidean', 'Dot Product'],
    default: 'Cosine',
    advanced: true,
  }),
  content_payload_key: text({
    displayName: 'Content Payload Key',
    plain: true,
    default: 'page_content',
    advanced: true,
  }),
  metadata_payload_key: text({
    displayName: 'Metadata Payload Key',
    plain: true,
    default: 'metadata',
    advanced: true,
  }),
};

type Values = InputValues<typeof inputs>;

const service = 'Qdrant';
const maximumPoints = 100;
const distances: Readonly<Record<string, string>> = { Euclidean: 'Euclid', 'Dot Product': 'Dot' };

export default defineVectorStore({
  type: 'QdrantVectorStoreComponent',
  displayName: 'Qdrant',
  description: 'Stores texts in a collection of Qdrant and searches it.',
  inputs,
  open: (values, context) => {
    if (values.collection_name === '') throw new ComponentError('Qdrant needs the name of a collection.');
    return values.path === '' || values.url !== ''
      ? new QdrantStore(values, context)
      : localStore(`qdrant:${values.path}:${values.collection_name}`, context);
  },
});

class QdrantStore implements VectorStore {
  readonly makesVectors = false;
  readonly #values: Values;
  readonly #context: ComponentContext;
  readonly #collection: string;

  constructor(values: Values, context: ComponentContext) {
    this.#values = values;
    this.#context = context;
    this.#collection = `${rootOf(values)}/collections/${encodeURIComponent(values.collection_name)}`;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const { content_payload_key, metadata_payload_key } = this.#values;
    await this.#makeCollection(texts[0]?.vector?.length ?? 0);
    for (const batch of batches(texts, maximumPoints)) {
      const points = batch.map(({ id, text: content, metadata, vector }) => ({
        id,
        vector: [...(vector ?? [])],
        payload: { [content_payload_key]: content, [metadata_payload_key]: metadata },
      }));
      await this.#send('PUT', '/points?wait=true', { points });
    }
  }

  async search({ vector, limit, withVectors }: StoreSearch): ReturnType<VectorStore['search']> {
    const { content_payload_key, metadata_payload_key } = this.#values;
    const answer = await this.#send('POST', '/points/search', {
      vector: [...(vector ?? [])],
      limit,
      with_payload: true,
      with_vector: withVectors,
    });
    return objectsMember(answer, 'result').map((point) => {
      const metadata = member(point, 'payload', metadata_payload_key);
      return {
        text: textMember(point, 'payload', content_payload_key),
        metadata: isDict(metadata) ? metadata : {},
        similarity: numberOf(point['score'] ?? null),
        vector: numberList(point['vector'] ?? null),
      };
    });
  }

  async #makeCollection(size: number): Promise<void> {
    const { distance_func } = this.#values;
    const call = { service, url: new URL(this.#collection), headers: this.#headers() };
    const answer = await callHttp(call, this.#context);
    if (answer.status === 200) return;
    if (answer.status !== 404) throw serviceError(service, answer, [this.#values.api_key]);
    await this.#send('PUT', '', { vectors: { size, distance: distances[distance_func] ?? 'Cosine' } });
  }

  #send(method: string, path: string, body: PythonValue): Promise<PythonValue> {
    const { api_key, timeout } = this.#values;
    return callJson(
      {
        service,
        url: `${this.#collection}${path}`,
        method,
        headers: this.#headers(),
        json: jsonValue(body),
        secrets: [api_key],
        repeatable: true,
        ...(timeout !== null && timeout > 0 ? { timeoutMilliseconds: timeout * 1000 } : {}),
      },
      this.#context,
    );
  }

  #headers(): Readonly<Record<string, string>> {
    const key = this.#values.api_key.trim();
    return key === '' ? {} : { 'api-key': key };
  }
}

/** Returns the server's address: a whole URL, or host and port, with TLS when there is a key, as the client does. */
function rootOf({ url, host, port, prefix, api_key }: Values): string {
  const whole = url !== '' || host.includes('://');
  const protocol = api_key === '' ? 'http' : 'https';
  const address = new URL(serviceAddress(whole ? url || host : `${protocol}://${host}:${port}`, service));
  if (whole && address.port === '' && !/:\d+\/?$/.test(url || host)) address.port = '6333';
  const root = serviceAddress(address.href, service);
  return prefix === '' ? root : `${root}/${prefix.replace(/^\/+|(?<!\/)\/+$/g, '')}`;
}
