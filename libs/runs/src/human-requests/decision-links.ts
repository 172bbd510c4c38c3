import { createHash } from 'node:crypto';
import type { Encryption } from '../encryption/encryption';
import type { StoredRequest } from './stored-request';

/** The path of links with which a person answers without a key. */
export const DECISION_PATH = '/decide/';

const PURPOSE = 'decision link';
/** A link in a mailbox must not open for as long as a run can wait. */
const MAXIMUM_SECONDS = 7 * 86_400;
const DIGEST_BYTES = 16;
const RUN_BYTES = 16;
const HEAD_BYTES = RUN_BYTES + 4 + DIGEST_BYTES;

/** Links that answer a request: addresses, or paths where the address of the gateway is not known. */
export interface RequestLinks {
  /** A page with all choices. */
  readonly form: string;
  /** A page for each choice that needs no text, by its id. */
  readonly actions: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** What a link is for. */
export interface DecisionLink {
  readonly runId: string;
  /** The choice; null for the page with all choices. */
  readonly actionId: string | null;
  readonly isExpired: boolean;
  isAbout(requestId: string): boolean;
}

export interface DecisionLinksOptions {
  readonly encryption: Pick<Encryption, 'sign' | 'isSigned'>;
  /** Base URL at which callers reach the gateway; links are paths without it. */
  readonly publicUrl: string | undefined;
}

/**
 * Signs links that answer a request of a suspended run without a key. A link holds the ids of run, request and choice and its
 * end; it is the same each time. A run takes one answer to a request, so that a link works once.
 */
export class DecisionLinks {
  readonly #options: DecisionLinksOptions;

  constructor(options: DecisionLinksOptions) {
    this.#options = options;
  }

  /** Returns the links of a request. They expire with it, or seven days after the pause. */
  of({ runId, request_id: requestId, options, kind, pausedAt, dueAt }: LinkedRequest): RequestLinks {
    const latest = Math.floor(pausedAt.getTime() / 1_000) + MAXIMUM_SECONDS;
    const expires = Math.min(latest, dueAt === null ? Infinity : Math.ceil(dueAt.getTime() / 1_000));
    const link = (actionId: string) => this.#link({ runId, requestId, expires, actionId });
    const plain = options.filter(({ action_id: id }) => kind === 'node_input' || !TEXT_ACTIONS.includes(id));
    return {
      form: link(''),
      actions: Object.fromEntries(plain.map(({ action_id: id }) => [id, link(id)])),
      expires_at: new Date(expires * 1_000).toISOString(),
    };
  }

  /** Returns what a link is for; null for a text that was not signed here. `now` is in milliseconds. */
  read(token: string, now: number): DecisionLink | null {
    const [text = '', ...signed] = token.split('.');
    if (!this.#options.encryption.isSigned(PURPOSE, text, signed.join('.'))) return null;
    const bytes = Buffer.from(text, 'base64url');
    const digest = bytes.subarray(RUN_BYTES + 4, HEAD_BYTES);
    const actionId = bytes.subarray(HEAD_BYTES).toString();
    return {
      runId: bytes
        .toString('hex', 0, RUN_BYTES)
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      actionId: actionId === '' ? null : actionId,
      isExpired: bytes.readUInt32BE(RUN_BYTES) * 1_000 <= now,
      isAbout: (requestId) => digestOf(requestId).equals(digest),
    };
  }

  #link({ runId, requestId, expires, actionId }: Linked): string {
    const end = Buffer.alloc(4);
    end.writeUInt32BE(expires);
    const run = Buffer.from(runId.replaceAll('-', ''), 'hex');
    const text = Buffer.concat([run, end, digestOf(requestId), Buffer.from(actionId)]).toString('base64url');
    const { encryption, publicUrl = '' } = this.#options;
    return `${publicUrl.replace(/\/+$/, '')}${DECISION_PATH}${text}.${encryption.sign(PURPOSE, text)}`;
  }
}

type LinkedRequest = Pick<StoredRequest, 'runId' | 'request_id' | 'options' | 'kind' | 'pausedAt' | 'dueAt'>;

/** Choices about a tool call with which a person gives a text or arguments. */
const TEXT_ACTIONS: readonly string[] = ['edit', 'respond'];

interface Linked {
  readonly runId: string;
  readonly requestId: string;
  readonly expires: number;
  readonly actionId: string;
}

function digestOf(requestId: string): Buffer {
  return createHash('sha256').update(requestId).digest().subarray(0, DIGEST_BYTES);
}
