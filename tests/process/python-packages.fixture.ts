import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';

const files = {
  'lfx/__init__.py': 'def main():\n    print("the script runs")\n',
  'lfx/tests/__init__.py': '',
  'lfx/components/texts/reversed.py':
    'class ReversedComponent(Component):\n    display_name = "Reversed"\n    name = "Reversed"\n',
  'lfx-1.13.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: lfx\nVersion: 1.13.0\n',
  'lfx-1.13.0.dist-info/WHEEL':
    'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  'lfx-1.13.0.dist-info/entry_points.txt': '[console_scripts]\nlfx-check = lfx:main\n',
};

/** Writes a package with lfx's name, a component and a script into a folder. Returns its line of a lock file. */
export function writeSmallLfx(folder: string): string {
  const record = [...Object.keys(files), 'lfx-1.13.0.dist-info/RECORD'].map((path) => `${path},,`).join('\n');
  const wheel = zipSync(
    Object.fromEntries(
      Object.entries({ ...files, 'lfx-1.13.0.dist-info/RECORD': `${record}\n` }).map(([path, text]) => [
        path,
        strToU8(text),
      ]),
    ),
  );
  writeFileSync(join(folder, 'lfx-1.13.0-py3-none-any.whl'), wheel);
  return `lfx==1.13.0 --hash=sha256:${createHash('sha256').update(wheel).digest('hex')}\n`;
}
