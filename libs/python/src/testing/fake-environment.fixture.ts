import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with the files of a Python environment; its interpreter is a shell script. */
export class FakeEnvironment {
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-fake-environment-'));
  readonly packages = join(this.folder, 'lib', 'python3.12', 'site-packages');

  constructor() {
    mkdirSync(join(this.folder, 'bin'));
    mkdirSync(this.packages, { recursive: true });
    writeFileSync(join(this.folder, 'pyvenv.cfg'), 'home = /usr/bin\n');
    this.install('lfx-1.13.0.dist-info');
  }

  /** The interpreter executes these lines of a shell. */
  interpreter(lines: string): void {
    writeFileSync(join(this.folder, 'bin', 'python'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  }

  install(name: string): void {
    mkdirSync(join(this.packages, name));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
