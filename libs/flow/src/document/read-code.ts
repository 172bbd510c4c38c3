import { createHash } from 'node:crypto';
import { codeText } from './code-text';
import type { NodeCode } from './flow-document';
import type { JsonObject } from './json-object';
import { isJsonObject, listMember, member, objectMember, textMember } from './json-object';

/** The member of a node's `metadata` that contains the hash of the code that the stock component can replace. */
export const acceptedCodeMember = 'accepted_code_hash';

/** Reads the source of a node. Without a text, the recorded hash is used. */
export function readCode(body: JsonObject): NodeCode {
  const text = codeText(member(objectMember(objectMember(body, 'template'), 'code'), 'value'));
  const metadata = objectMember(body, 'metadata');
  const recordedHash = textMember(metadata, 'code_hash');
  const edited = member(body, 'edited');
  return {
    hash: text === '' ? recordedHash : codeHash(text),
    movedHashes: () => movedHashes(text),
    hasText: text !== '',
    acceptedHash: textMember(metadata, acceptedCodeMember),
    recordedHash,
    edited: typeof edited === 'boolean' ? edited : null,
    module: textMember(metadata, 'module'),
    builtBy: lfxVersion(metadata),
    savedBy: textMember(body, 'lf_version'),
  };
}

/** Returns the first twelve hex digits of the SHA-256 of a source text in UTF-8, like Langflow's `code_hash`. */
export function codeHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 12);
}

/**
 * Langflow 1.5 moved its components from the package `langflow` to `lfx`, and keeps the old names of the modules. A text
 * that names them otherwise than its release did is the same component.
 */
function movedHashes(text: string): readonly string[] {
  const moved = [text.replaceAll(lfxImport, '$1langflow'), text.replaceAll(langflowImport, '$1lfx')];
  return moved.filter((other) => other !== text).map(codeHash);
}

const lfxImport = /^([ \t]*(?:from|import)[ \t]+)lfx(?=[.\s])/gm;
const langflowImport = /^([ \t]*(?:from|import)[ \t]+)langflow(?=[.\s])/gm;

/** Returns the version of lfx among the packages that a node's text imports; empty if absent. */
function lfxVersion(metadata: JsonObject): string {
  const packages = listMember(objectMember(metadata, 'dependencies'), 'dependencies').filter(isJsonObject);
  const lfx = packages.find((dependency) => textMember(dependency, 'name') === 'lfx');
  return lfx === undefined ? '' : textMember(lfx, 'version');
}
