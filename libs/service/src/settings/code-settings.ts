import { readFileSync, statSync } from 'node:fs';
import { choice } from './kinds';
import { setting } from './setting';

const MAXIMUM_FILE_BYTES = 16_777_216;

type CodeHashes = Readonly<Record<string, readonly string[]>>;

/** Settings of gateways and executors: a gateway reports how a flow would run, an executor runs it. */
export const codeSettings = {
  MILLRACE_EDITED_CODE: choice(['refuse', 'stock'], {
    default: 'refuse',
    description:
      'Treatment of a vertex whose code its author edited: `refuse` refuses the run, `stock` runs the stock component instead. The setting `editedCode` of a flow takes precedence. Must be the same on gateways and executors.',
  }),
  MILLRACE_KNOWN_CODE: setting<CodeHashes, { readonly description: string; readonly default: CodeHashes }>(
    'file',
    {
      default: {},
      description:
        'A JSON file of published component code in addition to the built-in list, as `npm run known-code` writes it: by component type, the first twelve hex digits of the SHA-256 of each text. Must be the same on gateways and executors.',
    },
    readCodeHashes,
    () => '',
  ),
} as const;

/** Reads a file of hashes by component type. Throws an Error that ends the sentence "MILLRACE_KNOWN_CODE …". */
function readCodeHashes(path: string): CodeHashes {
  const hashes = parseFile(path);
  if (typeof hashes !== 'object' || hashes === null || Array.isArray(hashes)) {
    throw new Error('must name a file that contains a JSON object of lists, by component type');
  }
  for (const [type, list] of Object.entries(hashes)) {
    const isList = Array.isArray(list) && list.every((hash) => /^[0-9a-f]{12}$/.test(String(hash)));
    if (!isList) throw new Error(`must list hashes of twelve hex digits for the type "${type}"`);
  }
  return hashes as CodeHashes;
}

function parseFile(path: string): unknown {
  try {
    if (statSync(path).size > MAXIMUM_FILE_BYTES)
      throw new Error(`it is larger than ${MAXIMUM_FILE_BYTES} bytes`);
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`must name a readable JSON file: ${(error as Error).message}`, { cause: error });
  }
}
