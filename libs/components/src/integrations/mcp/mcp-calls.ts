import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { argumentsDigest, ComponentError, jsonValue, toolCallId } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { recordedStep } from '../recorded-step';
import { withCallKey } from './call-key';
import { mcpFailure } from './mcp-failure';
import type { McpServer } from './mcp-server';
import { mcpConnection } from './run-connections';

const maximumTools = 500;
const maximumPages = 50;
/** Milliseconds; a timer with a longer delay fires at once. */
const maximumTimerMilliseconds = 2 ** 31 - 1;

/** The calls of a run to one server. */
export class McpCalls {
  readonly #server: McpServer;
  readonly #context: ComponentContext;
  readonly #timeoutMilliseconds: number;
  /** How often each call was made. */
  readonly #made = new Map<string, number>();

  /** `timeoutMilliseconds` limits each call of a tool; 0 means the remaining time of the run. */
  constructor(server: McpServer, timeoutMilliseconds: number, context: ComponentContext) {
    this.#server = server;
    this.#timeoutMilliseconds = timeoutMilliseconds;
    this.#context = context;
  }

  /** Lists all tools: those that an earlier attempt got, and those of the server else. */
  async tools(): Promise<readonly Tool[]> {
    const step = () => `tools of ${this.#server.name}`;
    const { tools } = await recordedStep(this.#context, step, async () => ({
      tools: await this.#listTools(),
    }));
    // A schema from a record has numbers that are not those of JSON.
    return jsonValue(tools as unknown as PythonValue) as readonly Tool[];
  }

  /** Lists the tools of the server, page by page. */
  async #listTools(): Promise<readonly Tool[]> {
    const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = await this.#connect();
    const tools: Tool[] = [];
    let cursor: string | undefined;
    try {
      for (let page = 0; page < maximumPages; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const list = await client.request(
          { method: 'tools/list', params },
          ListToolsResultSchema,
          this.#limits(0),
        );
        tools.push(...list.tools);
        cursor = list.nextCursor;
        if (cursor === undefined || tools.length > maximumTools) break;
      }
    } catch (error) {
      throw mcpFailure(this.#server, 'did not list its tools', error, this.#context);
    }
    if (tools.length > maximumTools || cursor !== undefined) {
      throw new ComponentError(`The MCP server "${this.#server.name}" has more than ${maximumTools} tools.`);
    }
    return tools;
  }

  /** Calls a tool and returns its result. A result that reports an error is returned as well. */
  async call(name: string, callArguments: PythonObject): Promise<CallToolResult> {
    const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = await this.#connect();
    const key = this.#keyOf(name, callArguments);
    const params = {
      name,
      arguments: jsonValue(callArguments) as Record<string, unknown>,
      ...(key !== null && { _meta: { idempotencyKey: key } }),
    };
    try {
      const limits = this.#limits(this.#timeoutMilliseconds);
      // Not `client.callTool`, which would validate the answer against a schema whose patterns come from the server.
      return await withCallKey(key, () =>
        client.request({ method: 'tools/call', params }, CallToolResultSchema, limits),
      );
    } catch (error) {
      throw mcpFailure(this.#server, `did not answer a call of "${name}"`, error, this.#context);
    }
  }

  /** Returns the key of a call: another one for each call of a run, the same in each attempt; null if nothing is recorded. */
  #keyOf(name: string, callArguments: PythonObject): string | null {
    if (!this.#context.recordsEffects) return null;
    const step = `mcp ${name} ${argumentsDigest(callArguments)} ${toolCallId() ?? ''}`;
    const count = (this.#made.get(step) ?? 0) + 1;
    this.#made.set(step, count);
    return this.#context.stepKey(count === 1 ? step : `${step} ${count}`);
  }

  #connect(): Promise<Client> {
    return mcpConnection(this.#server, this.#context);
  }

  #limits(timeoutMilliseconds: number): { readonly timeout: number; readonly signal: AbortSignal } {
    // The run's own signal reports its end; a timeout of the same length would race with it.
    const timeout =
      timeoutMilliseconds > 0
        ? Math.min(timeoutMilliseconds, maximumTimerMilliseconds)
        : maximumTimerMilliseconds;
    return { timeout, signal: this.#context.signal };
  }
}
