import { join } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { compile, flowReport, noPython, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, FlowReport, PythonPolicy } from '@millrace/flow';
import { readPythonEnvironment, workerFolder } from '@millrace/python';
import { CliError } from '../cli-error';
import { listedFlows } from './flow-files';

/**
 * How a flow runs; `error` when it is not a flow. `name` tells the flows of one file apart; `ignored` names parts of the
 * file that have no effect.
 */
export type CheckedFlow = Pick<FlowReport, 'verdict' | 'vertices'> & {
  readonly name?: string;
  readonly ignored?: readonly string[];
  readonly error?: string;
};

export interface FlowCheckerOptions {
  /** The setting MILLRACE_PYTHON of the installation. */
  readonly pythonMode: 'off' | 'approved' | 'all';
  /** Folder of the Python environment; `.millrace/python` unless given. */
  readonly folder?: string | undefined;
  /** Whether a run could look up a variable of this name. */
  readonly hasVariable: (name: string) => boolean;
}

/** Reports how flows run here, without a server. */
export class FlowChecker {
  readonly #registry: ComponentRegistry;
  readonly #options: FlowCheckerOptions;

  private constructor(registry: ComponentRegistry, options: FlowCheckerOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** Throws CliError when the Python environment cannot be used. */
  static async open(options: FlowCheckerOptions): Promise<FlowChecker> {
    const python =
      options.pythonMode === 'off' ? noPython : await pythonPolicy(options.pythonMode, options.folder);
    return new FlowChecker({ ...componentRegistry, python }, options);
  }

  /** Reports on each flow of a file: an export, a list of them, a collection, or an archive. */
  checkFile(file: string): readonly CheckedFlow[] {
    try {
      const flows = listedFlows(file);
      return flows.map((flow) =>
        flows.length === 1 ? this.check(flow, file) : { ...nameOf(flow), ...this.check(flow, file) },
      );
    } catch (error) {
      return [refused(error)];
    }
  }

  check(document: unknown, flowId: string): CheckedFlow {
    try {
      const plan = compile(parseFlowDocument(document), { flowId, version: 1, registry: this.#registry });
      const { hasVariable, pythonMode } = this.#options;
      // Approvals are in the database, which is not read.
      const isApproved = () => pythonMode === 'all';
      // The reports of the vertices have the missing parts.
      const ignored = plan.problems
        .filter(({ blocks, code }) => !blocks && code !== 'missing_part')
        .map(({ message }) => message);
      const report = flowReport(plan, { hasVariable, isApproved });
      return ignored.length > 0 ? { ...report, ignored } : report;
    } catch (error) {
      return refused(error);
    }
  }
}

function nameOf(flow: unknown): { readonly name?: string } {
  const { name } = (flow ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? { name } : {};
}

function refused(error: unknown): CheckedFlow {
  return { verdict: 'refused', vertices: [], error: error instanceof Error ? error.message : String(error) };
}

async function pythonPolicy(
  mode: 'approved' | 'all',
  folder = join('.millrace', 'python'),
): Promise<PythonPolicy> {
  const environment = await readPythonEnvironment(folder, { workerFolder: workerFolder() });
  if ('reason' in environment) throw new CliError('configuration', environment.reason);
  return { mode, environment };
}
