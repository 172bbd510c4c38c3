import { accessSync, constants } from 'node:fs';
import { StartError } from '@millrace/service';
import { fileErrorReason } from './file-error-reason';
import { makeFolders } from './make-folders.cjs';

/**
 * Creates the data folder, readable by its owner only. Throws StartError when it cannot be created or is not writable.
 */
export function makeDataFolder(dataDirectory: string): void {
  try {
    makeFolders(dataDirectory);
    accessSync(dataDirectory, constants.W_OK);
  } catch (error) {
    throw new StartError(
      `the data folder ${dataDirectory} cannot be written: ${fileErrorReason(error)}; choose another one with --data`,
      { cause: error },
    );
  }
}
