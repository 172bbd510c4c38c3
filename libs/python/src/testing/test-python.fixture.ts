/** Returns the interpreter of the environment with lfx. */
export function testPython(): string {
  const python = process.env['TEST_PYTHON'];
  if (!python) throw new Error('TEST_PYTHON is not set: this test needs a Python with lfx');
  return python;
}
