import { choice } from './kinds';
import { readJsonFile } from './read-json-file';
import { setting } from './setting';

type CodeHashes = Readonly<Record<string, readonly string[]>>;

/** Settings of gateways and executors: a gateway reports how a flow would run, an executor runs it. */
export const codeSettings = {
  MILLRACE_EDITED_CODE: choice(['refuse', 'stock'], {
    default: 'refuse',
    description:
      'Treatment of a vertex whose code its author edited: `refuse` refuses the run, `stock` runs the stock component instead. The setting `editedCode` of a flow takes precedence. Must be the same on gateways and executors.',
  }),
  MILLRACE_KNOWN_CODE: setting<
    CodeHashes,
    { readonly description: string; readonly default: CodeHashes; readonly unusual: true }
  >(
    'file',
    {
      unusual: true,
      default: {},
      description:
        'A JSON file of published component code in addition to the built-in list, as `millrace code list --out` writes it: by component type, the first twelve hex digits of the SHA-256 of each text. Must be the same on gateways and executors.',
    },
    readCodeHashes,
    () => '',
  ),
} as const;

/** Reads a file of hashes by component type. Throws an Error that ends the sentence "MILLRACE_KNOWN_CODE …". */
function readCodeHashes(path: string): CodeHashes {
  const hashes = readJsonFile(path);
  if (typeof hashes !== 'object' || hashes === null || Array.isArray(hashes)) {
    throw new Error('must name a file that contains a JSON object of lists, by component type');
  }
  for (const [type, list] of Object.entries(hashes)) {
    const isList = Array.isArray(list) && list.every((hash) => /^[0-9a-f]{12}$/.test(String(hash)));
    if (!isList) throw new Error(`must list hashes of twelve hex digits for the type "${type}"`);
  }
  return hashes as CodeHashes;
}
