import type {
  LocalVectors,
  McpServers,
  Permission,
  PythonVertices,
  RunFiles,
  RunResources,
  Scripts,
  SubFlows,
} from '@millrace/flow';
import type { ResourceProviders } from './resource-providers';
import { StoredRunFiles } from './stored-run-files';
import type { ResourceOwner } from './stored-run-files';
import { UserMcpServers } from './user-mcp-servers';
import { UserVectors } from './user-vectors';

/** The resources that the components of one attempt can use; each is created on first use. */
export class AttemptResources implements RunResources {
  readonly #providers: ResourceProviders;
  #files: RunFiles | null = null;
  readonly owner: ResourceOwner;
  readonly flows: SubFlows;
  readonly python: PythonVertices;

  constructor(
    providers: ResourceProviders,
    owner: ResourceOwner,
    { flows, python }: { readonly flows: SubFlows; readonly python: PythonVertices },
  ) {
    this.#providers = providers;
    this.owner = owner;
    this.flows = flows;
    this.python = python;
  }

  get files(): RunFiles {
    this.#files ??= new StoredRunFiles(this.#providers.files, this.owner);
    return this.#files;
  }

  get vectors(): LocalVectors {
    return new UserVectors(this.#providers.vectors, this.owner.userId, this.owner.signal);
  }

  get scripts(): Scripts {
    return this.#providers.scripts;
  }

  get mcpServers(): McpServers {
    return new UserMcpServers(this.#providers.mcpServers, this.owner.userId);
  }

  dial(...to: Parameters<RunResources['dial']>): ReturnType<RunResources['dial']> {
    return this.#providers.dial(...to);
  }

  isAllowed(permission: Permission): boolean {
    return this.#providers.permissions.has(permission);
  }
}
