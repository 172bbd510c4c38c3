/** A fault of an installation, with what to do. */
export interface Finding {
  /** With an error the installation cannot work, or loses what it promises; a warning can wait. */
  readonly level: 'error' | 'warning';
  /** Stable; docs/use/cli.md lists all. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** The result of one group of checks. */
export interface CheckResult {
  readonly name: string;
  /** What was found sound, such as a version. */
  readonly facts: readonly string[];
  readonly findings: readonly Finding[];
}

/** Collects what a group of checks finds. */
export class Findings {
  readonly facts: string[] = [];
  readonly findings: Finding[] = [];

  fact(text: string): void {
    this.facts.push(text);
  }

  error(code: string, message: string, remedy: string): void {
    this.findings.push({ level: 'error', code, message, remedy });
  }

  warn(code: string, message: string, remedy: string): void {
    this.findings.push({ level: 'warning', code, message, remedy });
  }
}
