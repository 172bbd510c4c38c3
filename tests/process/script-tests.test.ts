import { expectScriptTestsToPass } from './script-tests';

test.each([
  { folder: 'bench', minimum: 20 },
  { folder: 'chaos', minimum: 55 },
  { folder: 'tools', minimum: 30 },
])(
  'the tests of the scripts in $folder pass, at least $minimum',
  ({ folder, minimum }) => {
    expectScriptTestsToPass({ folder, minimum, full: false });
  },
  150_000,
);
