// For tests of other projects.
export { filesUnderTest } from './run-files.fixture';
