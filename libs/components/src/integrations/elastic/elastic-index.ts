import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callHttp } from '../http/call-http';
import { callJson } from '../http/call-service';
import { decodeText } from '../http/decode-text';
import { member, objectsMember, textMember } from '../http/json-members';
import { serviceError } from '../http/service-error';

/** The maximum size of one bulk request. */
const maximumBatchBytes = 5 * 1_048_576;

/** Where an index is, and how to sign in. */
export interface ElasticAddress {
  /** The name of the service in errors. */
  readonly service: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly index: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys to remove from error messages. */
  readonly secrets: readonly string[];
}

export interface ElasticDocument {
  readonly id: string;
  readonly source: Readonly<Record<string, unknown>>;
}

/** An index of Elasticsearch or OpenSearch, whose APIs are the same as far as they are used here. */
export class ElasticIndex {
  readonly #address: ElasticAddress;
  readonly #context: ComponentContext;
  readonly #url: string;

  constructor(address: ElasticAddress, context: ComponentContext) {
    this.#address = address;
    this.#context = context;
    this.#url = `${address.baseUrl}/${encodeURIComponent(address.index)}`;
  }

  /** Creates the index with this definition unless it exists. */
  async create(definition: unknown): Promise<void> {
    const { service, headers, secrets } = this.#address;
    const call = { service, url: new URL(this.#url), headers, repeatable: true };
    const found = await callHttp({ ...call, method: 'HEAD' }, this.#context);
    if (found.status === 200) return;
    // The answer above has no body, so that of the next call has the reason of a refusal.
    const created = await callHttp(
      {
        ...call,
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(definition),
      },
      this.#context,
    );
    if (created.status >= 200 && created.status <= 299) return;
    // Another run can have created it in the meantime.
    if (decodeText(created).includes('resource_already_exists_exception')) return;
    throw serviceError(service, created, secrets);
  }

  /** Writes documents, so that the next search finds them; one with a known id is replaced. */
  async write(documents: readonly ElasticDocument[]): Promise<void> {
    let batch: string[] = [];
    let bytes = 0;
    for (const { id, source } of documents) {
      const lines = `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(source)}\n`;
      if (bytes + lines.length > maximumBatchBytes && batch.length > 0) {
        await this.#bulk(batch);
        batch = [];
        bytes = 0;
      }
      batch.push(lines);
      bytes += lines.length;
    }
    if (batch.length > 0) await this.#bulk(batch);
  }

  /** Returns the hits of a search. */
  async search(body: unknown): Promise<readonly PythonObject[]> {
    const answer = await this.#send('/_search', { json: body });
    return objectsMember(answer, 'hits', 'hits');
  }

  async #bulk(lines: readonly string[]): Promise<void> {
    const answer = await this.#send('/_bulk?refresh=true', {
      body: lines.join(''),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    if (member(answer, 'errors') !== true) return;
    const failed = objectsMember(answer, 'items').find((item) => member(item, 'index', 'error') !== null);
    const reason = textMember(failed ?? null, 'index', 'error', 'reason') || 'no reason given';
    throw new ComponentError(`${this.#address.service} did not store a text: ${reason}`);
  }

  #send(
    path: string,
    given: {
      readonly json?: unknown;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<PythonValue> {
    const { service, headers, secrets } = this.#address;
    return callJson(
      {
        ...given,
        service,
        url: `${this.#url}${path}`,
        method: 'POST',
        headers: { ...headers, ...given.headers },
        secrets,
        // A search changes nothing, and a document that is written again has its id.
        repeatable: true,
      },
      this.#context,
    );
  }
}

/** Returns the header of a user name and a password. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
