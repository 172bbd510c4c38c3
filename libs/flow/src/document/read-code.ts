import { createHash } from 'node:crypto';
import type { NodeCode } from './flow-document';
import type { JsonObject } from './json-object';
import { objectMember, textMember } from './json-object';

/** The member of a node's `metadata` that holds the hash of the code in whose place the stock component may run. */
export const acceptedCodeMember = 'accepted_code_hash';

/** What is known of the source of a node: the text counts; a hash beside it only when the text was left out. */
export function readCode(body: JsonObject): NodeCode {
  const text = textMember(objectMember(objectMember(body, 'template'), 'code'), 'value');
  const metadata = objectMember(body, 'metadata');
  return {
    hash: text === '' ? textMember(metadata, 'code_hash') : hashOf(text),
    isCarried: text !== '',
    acceptedHash: textMember(metadata, acceptedCodeMember),
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 12);
}
