import { makeTenant } from './tenant';
import type { Tenant } from './tenant';
import { openTestGateway } from './test-gateway';
import type { Answer, TestGateway } from './test-gateway';

export type Json = Readonly<Record<string, unknown>>;

/** The members of a task that tests read. */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string };
}

export const cardOf = (flow: string) => `/api/v1/a2a/${flow}/.well-known/agent-card.json`;
export const rpcOf = (flow: string) => `/api/v1/a2a/${flow}/jsonrpc`;
export const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 'r1', method, params });

/** Returns the params of a message, with other members of the message. */
export function message(members: Json = {}) {
  const parts = [{ kind: 'text', text: 'hi' }];
  return { message: { kind: 'message', messageId: 'm1', role: 'user', parts, ...members } };
}

/** Two users of a gateway, and calls of the flow of the first one as an agent. */
export class AgentCalls {
  readonly gateway: TestGateway;
  readonly owner: Tenant;
  readonly other: Tenant;

  constructor(gateway: TestGateway, owner: Tenant, other: Tenant) {
    this.gateway = gateway;
    this.owner = owner;
    this.other = other;
  }

  static async open(): Promise<AgentCalls> {
    const gateway = await openTestGateway();
    const owner = await makeTenant(gateway, 'owner');
    const other = await makeTenant(gateway, 'other');
    const agent = { flow_type: 'agent', a2a_enabled: true };
    await owner.call('PATCH', `/api/v1/flows/${owner.ids.flow}`, agent);
    await other.call('PATCH', `/api/v1/flows/${other.ids.flow}`, agent);
    return new AgentCalls(gateway, owner, other);
  }

  post(
    body: unknown,
    headers: Record<string, string> = {},
    flow: string = this.owner.ids.flow,
  ): Promise<Answer> {
    return this.gateway.call('POST', rpcOf(flow), body, { 'x-api-key': this.owner.key, ...headers });
  }

  async call(method: string, params: unknown): Promise<Json> {
    return (await this.post(rpc(method, params))).json;
  }

  async send(params: unknown): Promise<Task> {
    return (await this.call('message/send', params))['result'] as Task;
  }

  async errorOf(method: string, params: unknown): Promise<readonly [unknown, unknown]> {
    const { error } = (await this.call(method, params)) as { error?: { code: number; message: string } };
    return [error?.code, error?.message];
  }

  /** Creates a flow of the first user, and resolves to its id. */
  async createFlow(body: Json): Promise<string> {
    return ((await this.owner.call('POST', '/api/v1/flows/', body)).json as { id: string }).id;
  }

  async readStream(method: string, params: unknown): Promise<readonly Json[]> {
    const answer = await fetch(this.gateway.url + rpcOf(this.owner.ids.flow), {
      method: 'POST',
      headers: { 'x-api-key': this.owner.key, 'content-type': 'application/json' },
      body: JSON.stringify(rpc(method, params)),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    return (await answer.text())
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Json);
  }
}
