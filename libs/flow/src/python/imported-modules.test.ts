import { importedModules } from './imported-modules';

test.each([
  ['import numpy', ['numpy']],
  ['import numpy as np, pandas.core as core; import os', ['numpy', 'pandas', 'os']],
  ['from requests.adapters import HTTPAdapter', ['requests']],
  ['from requests import (\n  get,  # a comment\n  post,\n)', ['requests']],
  ['import \\\n  numpy', ['numpy']],
  ['from . import sibling', []],
  ['import größe', ['größe']],
  ['import numpy\r\nimport numpy\r\n', ['numpy']],
  ['importlib = 1\nfromage = 2', []],
])('finds the modules of %j', (text, modules) => {
  expect(importedModules(text)).toEqual(modules);
});

test('an import that can be optional is omitted', () => {
  const text = 'try:\n    import one\nexcept ImportError:\n    pass\ndef f():\n    from two import x\n';
  expect(importedModules(text)).toEqual([]);
});

test('lines of texts and comments are no imports', () => {
  const text = "\"\"\"\nimport one\n\"\"\"\n# import two\nx = 'import three'\ny = r'''\nimport four\\''''\n";
  expect(importedModules(text)).toEqual([]);
});

test("Langflow's own modules are those of lfx", () => {
  expect(importedModules('from langflow.custom import Component\nfrom lfx.io import Output')).toEqual([
    'lfx',
  ]);
});

// A search that is not linear takes hours for these texts, and fails at the deadline of a test.
test.each([
  ['\\"', ['one']],
  ["\\'", ['one']],
  ['\\"""', []],
  ['"', []],
  ['"""\'', []],
  ['(', ['one']],
  ['(a ', ['one']],
  ['\\\n', ['one']],
  [' \n', ['one']],
  ['from a', ['one']],
])('the import after a million times %j is found unless a literal is open there', (part, modules) => {
  expect(importedModules(`${part.repeat(1_000_000)}\nimport one`)).toEqual(modules);
});

test('the import after a name of a million characters is found', () => {
  expect(importedModules(`from ${'a'.repeat(1_000_000)}\nimport one`)).toEqual(['one']);
});

test.each([
  ['"not closed\nimport one', ['one']],
  ["'not closed \\", []],
  ['"""not closed\nimport one', []],
  ['"""closed""""\nimport one', ['one']],
  ['"""a"b""c"""\nimport one', ['one']],
  ['x = "#"; import one', ['one']],
  ['x = "\\\nimport one"\nimport two', ['two']],
  ['# "not a text\nimport one', ['one']],
])('a literal ends where it does for Python: %j', (text, modules) => {
  expect(importedModules(text)).toEqual(modules);
});
