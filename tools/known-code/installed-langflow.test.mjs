import { deepEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readInstalledMembers } from './installed-langflow.mjs';

test('reads the members of exports from the index, the models and the rows of tools of an installed Langflow', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-members-'));
  /** @param {string} path @param {string} text */
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, 'lfx', path)), { recursive: true });
    writeFileSync(join(folder, 'lfx', path), text);
  };
  const template = { _type: 'Component', url: { value: '', spending_limit: 1 } };
  const outputs = [{ name: 'result', redaction: true }];
  const entries = [['web', { URLComponent: { template, outputs, guardrails: [] } }]];
  write('_assets/component_index.json', JSON.stringify({ entries }));
  write(
    'inputs/input_mixin.py',
    'class M(BaseModel):\n    consent: bool | None = None\n    kind: str = Field(alias="type")\n',
  );
  const row =
    '        return {\n            "name": tool.name,\n            "allowed_hours": tool.hours,\n        }\n';
  write('custom/custom_component/component.py', `    def _build_tool_data(self, tool):\n${row}`);
  try {
    deepEqual(readInstalledMembers(folder), {
      node: new Set(['template', 'outputs', 'guardrails']),
      field: new Set(['value', 'spending_limit', 'consent', 'type']),
      output: new Set(['name', 'redaction']),
      toolRow: new Set(['name', 'allowed_hours']),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
