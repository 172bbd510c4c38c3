import { ComponentError } from '@millrace/flow';
import type { RunFile, RunFiles, RunResources } from '@millrace/flow';
import { noResources } from '@millrace/engine';

/** The user id, which is the first part of the path of the user's own files. */
export const fileOwner = 'user-1';

/** Files of one user in memory, and resources that contain only these files. */
export interface FilesUnderTest {
  readonly resources: RunResources;
  /** Returns the content of a path as text; undefined when the file does not exist. */
  textOf(path: string): string | undefined;
  bytesOf(path: string): Buffer | undefined;
}

/** Returns files with the given contents. Keys are paths (`flow/name`) or bare names of the user's own files. */
export function filesUnderTest(contents: Readonly<Record<string, string | Uint8Array>> = {}): FilesUnderTest {
  const stored = new Map<string, Buffer>();
  const pathOf = (path: string): string => (path.includes('/') ? path : `${fileOwner}/${path}`);
  const fileOf = (path: string, content: Buffer): RunFile => ({
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    sizeBytes: content.length,
  });
  for (const [path, content] of Object.entries(contents)) stored.set(pathOf(path), Buffer.from(content));
  const files: RunFiles = {
    find: (path) => {
      const whole = pathOf(path.replaceAll('\\', '/'));
      const content = stored.get(whole);
      return Promise.resolve(content === undefined ? null : fileOf(whole, content));
    },
    list: () => Promise.resolve([...stored].map(([path, content]) => fileOf(path, content))),
    read: ({ path }, maximumBytes) => {
      const content = stored.get(path);
      if (content === undefined || content.length > maximumBytes) {
        return Promise.reject(new ComponentError(`${path} cannot be read.`));
      }
      return Promise.resolve(content);
    },
    save: (name, content) => {
      const path = `${fileOwner}/${name.replaceAll('/', '_')}`;
      stored.set(path, content);
      return Promise.resolve(fileOf(path, content));
    },
  };
  const resources: RunResources = Object.create(noResources, { files: { value: files } }) as RunResources;
  return {
    resources,
    textOf: (path) => stored.get(pathOf(path))?.toString(),
    bytesOf: (path) => stored.get(pathOf(path)),
  };
}
