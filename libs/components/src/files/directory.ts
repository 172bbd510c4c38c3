import { boolean, ComponentError, defineComponent, integer, listOf, text } from '@millrace/flow';
import type { RunFile } from '@millrace/flow';
import { DataFrame, repr } from '@millrace/python-text';
import type { Data } from '@millrace/python-text';
import { fileData } from './outputs/file-outputs';
import { loadFiles } from './readers/load-files';
import { readFileText } from './readers/read-file-text';
import { extensionOf, textFileTypes } from './formats/text-file-types';

export default defineComponent({
  type: 'Directory',
  displayName: 'Directory',
  description: "Loads the user's stored files, or those of a flow.",
  inputs: {
    path: text({ displayName: 'Path', default: '.', tool: true }),
    types: listOf(text({ displayName: 'File Types', plain: true })),
    depth: integer({ displayName: 'Depth' }),
    load_hidden: boolean({ displayName: 'Load Hidden', advanced: true }),
    recursive: boolean({ displayName: 'Recursive', advanced: true }),
    silent_errors: boolean({ displayName: 'Silent Errors', advanced: true }),
  },
  outputs: {
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'Loaded Files', method: 'as_dataframe' },
    data: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: false },
  },
  deterministic: false,
  approximates: 'It reads files stored in Millrace; folders on the disk of the host are inaccessible.',
  run: async ({ path, types, load_hidden, silent_errors }, context) => {
    const wanted = wantedTypes(types);
    const files = inFolder(await context.resources.files.list(), path).filter(
      ({ name }) => wanted.has(extensionOf(name)) && (load_hidden || !name.startsWith('.')),
    );
    const data = await load(files);
    context.status(data);
    return { dataframe: new DataFrame(data.map((item) => item.data)), data };

    async function load(found: readonly RunFile[]): Promise<readonly Data[]> {
      if (found.length === 0) return [];
      const named = found.map((file) => ({ path: file.path, data: {} }));
      const options = { silent_errors, ignore_unsupported_extensions: true };
      return (await loadFiles(context, named, readFileText, options)).map(fileData);
    }
  },
});

function wantedTypes(types: readonly string[]): ReadonlySet<string> {
  const invalid = types.filter((type) => !textFileTypes.includes(type));
  if (invalid.length > 0) {
    throw new ComponentError(
      `Invalid file types specified: ${repr(invalid)}. Valid types are: ${repr(textFileTypes)}`,
    );
  }
  return new Set(types.length > 0 ? types : textFileTypes);
}

/** Returns the files in a folder. Each file has one folder: that of the user or that of a flow. */
function inFolder(files: readonly RunFile[], path: string): readonly RunFile[] {
  const folder = path
    .replaceAll('\\', '/')
    .replace(/^(\.?\/)+/, '')
    .replace(/(?<!\/)\/+$/, '');
  if (folder === '' || folder === '.') return files;
  const found = files.filter((file) => file.path.startsWith(`${folder}/`));
  if (found.length === 0) throw new ComponentError(`Path ${path} must exist and be a directory.`);
  return found;
}
