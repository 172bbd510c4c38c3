import { expectScriptTestsToPass } from './script-tests';

test('the tests of the scripts in tools that the long tier alone runs pass', () => {
  expectScriptTestsToPass({ folder: 'tools', minimum: 11, full: true });
});
