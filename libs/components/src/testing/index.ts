// For tests of other projects.
export { fileOwner, filesUnderTest } from './run-files.fixture';
export type { FilesUnderTest } from './run-files.fixture';
