// Generated from the OpenAPI document: npm run generate -- client

/** The entities of the interface by name, and in `Calls` each route. */
export interface Schemas {
  Calls: {
    /** @description Run a flow by its id or endpoint name */
    'POST /api/v1/run/{flow}': {
      query?: {
        /**
         * @description Whether to stream events
         * @default false
         */
        stream?: boolean;
      };
      body?: Schemas['RunRequest'] | Schemas['AdvancedRunRequest'];
      answer: Schemas['RunAnswer'] | Schemas['StartedRun'];
    };
    /** @description Run a flow with several inputs and chosen outputs */
    'POST /api/v1/run/advanced/{flow}': {
      query?: {
        /**
         * @description Whether to stream events
         * @default false
         */
        stream?: boolean;
      };
      body?: Schemas['AdvancedRunRequest'];
      answer: Schemas['RunAnswer'] | Schemas['StartedRun'];
    };
    /** @description Run a flow by its id, with the body of either form */
    'POST /run/{flow_id}': {
      query?: {
        /**
         * @description Whether to stream events
         * @default false
         */
        stream?: boolean;
      };
      body?: Schemas['RunRequest'] | Schemas['AdvancedRunRequest'];
      answer: Schemas['RunAnswer'] | Schemas['StartedRun'];
    };
    /** @description Run a flow: wait for the result, run in the background, or stream events */
    'POST /api/v2/workflows': {
      body: Schemas['WorkflowRequest'];
      answer: Schemas['WorkflowJob'] | Schemas['WorkflowResponse'];
    };
    /** @description Read a run as a job, or its result when it has ended */
    'GET /api/v2/workflows': {
      query: {
        /** @description The run */
        job_id: string;
      };
      answer: Schemas['WorkflowJob'] | Schemas['WorkflowResponse'];
    };
    /** @description List what the suspended runs of a flow ask a person, the oldest request first, at most 1,000 and about 8 MiB; the header Link names the rest */
    'GET /api/v2/workflows/pending': {
      query: {
        /** @description The flow */
        flow_id: string;
      };
      answer: Schemas['PendingHumanRequest'][];
    };
    /** @description List what suspended runs ask a person, the oldest request first; a page has at most about 8 MiB */
    'GET /api/v1/pending': {
      query?: {
        /** @description Only runs of this flow */
        flow_id?: string;
        /** @description Only this run */
        run_id?: string;
        /** @description Maximum number of requests: 1,000 by default and at most */
        limit?: number;
        /** @description The next_cursor of an earlier answer with the same filter */
        cursor?: string;
        /** @description Whether each has links that answer it without a key */
        links?: boolean;
      };
      answer: {
        requests: Schemas['OpenHumanRequest'][];
        next_cursor: string | null;
      };
    };
    /** @description Answer what a suspended run asks; the run goes on */
    'POST /api/v2/workflows/{job_id}/resume': {
      body: Schemas['WorkflowResume'];
      answer: Schemas['WorkflowResumed'];
    };
    /** @description Stop a run */
    'POST /api/v2/workflows/stop': {
      body: Schemas['WorkflowStop'];
      answer: Schemas['WorkflowStopped'];
    };
    /** @description Stream the events of a run from a given one, during the run or later */
    'GET /api/v2/workflows/{job_id}/events': {
      query?: {
        /** @description The protocol of the events: `langflow` (default) or `agui` */
        stream_protocol?: string;
        /** @description Whether vertices and logs are sent, too */
        expose_graph_state?: boolean;
      };
      answer: unknown;
    };
    /** @description Run a flow as an agent of AG-UI 1.0, or answer the interrupts with which such a run ended */
    'POST /api/v1/agui/{flow_id}': {
      body: Schemas['RunAgentInput'];
      answer: unknown;
    };
    /** @description Show what a suspended run asks, by a decision link; changes nothing */
    'GET /decide/{token}': {
      answer: unknown;
    };
    /** @description Answer what a suspended run asks, by a decision link */
    'POST /decide/{token}': {
      body: unknown;
      answer: unknown;
    };
    /** @description Run a flow in the shape of OpenAI's Responses */
    'POST /api/v1/responses': {
      body: Schemas['OpenResponseRequest'];
      answer: Schemas['OpenResponse'] | Schemas['OpenResponseFailure'];
    };
    /** @description List the flows as models of OpenAI, up to 1,000 by name */
    'GET /v1/models': {
      answer: Schemas['ModelList'];
    };
    /** @description Read a flow as a model of OpenAI */
    'GET /v1/models/{model}': {
      answer: Schemas['Model'];
    };
    /** @description Run a flow in the shape of OpenAI's Chat Completions */
    'POST /v1/chat/completions': {
      body: Schemas['ChatRequest'];
      answer: Schemas['ChatAnswer'];
    };
    /** @description Whether the process is alive */
    'GET /health': {
      answer: Schemas['Alive'];
    };
    /** @description Whether the process and its database are available */
    'GET /healthz': {
      answer: Schemas['Healthy'];
    };
    /** @description Whether the process and its database are available */
    'GET /health_check': {
      answer: Schemas['Healthy'];
    };
    /** @description Whether the process is ready for requests */
    'GET /readyz': {
      answer: Schemas['Readiness'];
    };
    /** @description Metrics for Prometheus */
    'GET /metrics': {
      answer: unknown;
    };
    /** @description The version */
    'GET /api/v1/version': {
      answer: Schemas['Version'];
    };
    /** @description Settings for clients */
    'GET /api/v1/config': {
      answer:
        | {
            type: 'public';
            max_file_size_upload: number;
            event_delivery: string;
            voice_mode_available: boolean;
            frontend_timeout: number;
            mcp_base_url: string;
            enable_extension_reload: boolean;
            authz_enabled: boolean;
            catalog_governance_enabled: boolean;
            substitute_outdated_component_code: boolean;
            allow_custom_components: boolean;
            feature_flags: Record<string, unknown>;
          }
        | {
            type: 'full';
            max_file_size_upload: number;
            event_delivery: string;
            voice_mode_available: boolean;
            frontend_timeout: number;
            mcp_base_url: string;
            enable_extension_reload: boolean;
            authz_enabled: boolean;
            catalog_governance_enabled: boolean;
            substitute_outdated_component_code: boolean;
            allow_custom_components: boolean;
            feature_flags: Record<string, unknown>;
            default_folder_name: string;
            serialization_max_items_length: number;
            serialization_max_text_length: number;
            webhook_auth_enable: boolean;
            mcp_servers_locked: boolean;
            custom_component_admin_only: boolean;
            a2a_enabled: boolean;
            blocked_component_types: string[];
          };
    };
    /** @description Whether the caller has a session of Langflow's editor */
    'GET /api/v1/session': {
      answer: Schemas['EditorSession'];
    };
    /** @description How many executors each pool needs, and how that is computed; for admins */
    'GET /api/v1/autoscale': {
      query?: {
        /** @description Answer only this pool */
        pool?: string;
      };
      answer: Schemas['Autoscale'];
    };
    /** @description List executors and pools with their load; for admins */
    'GET /api/v1/workers': {
      answer: Schemas['Workers'];
    };
    /** @description Count the runs that wait or are being executed; for admins */
    'GET /api/v1/monitor/job_queue': {
      answer: {
        backend: 'postgresql';
        active_jobs: number;
      };
    };
    /** @description Check each dependency of this gateway; for admins */
    'GET /api/v1/system/health': {
      answer: Schemas['SystemHealth'];
    };
    /** @description List the settings of this gateway that are in force; for admins */
    'GET /api/v1/system/settings': {
      answer: Schemas['SystemSettings'];
    };
    /** @description Describe the server and link to its documentation */
    'GET /': {
      answer: Schemas['Server'];
    };
    /** @description Read the session of the web console */
    'GET /api/v1/console/session': {
      answer: Schemas['ConsoleSession'];
    };
    /** @description Sign in to the web console: exchange an API key for a session cookie */
    'POST /api/v1/console/session': {
      body: Schemas['NewConsoleSession'];
      answer: Schemas['ConsoleSession'];
    };
    /** @description Sign out of the web console */
    'DELETE /api/v1/console/session': {
      answer: null;
    };
    /** @description List your sessions of the web console, newest first */
    'GET /api/v1/console/sessions': {
      query?: {
        /** @description Sessions of all users, for admins */
        all_users?: boolean;
      };
      answer: Schemas['ConsoleSessionList'];
    };
    /** @description End a session of the web console; admins can end those of others */
    'DELETE /api/v1/console/sessions/{session_id}': {
      answer: null;
    };
    /** @description List the issuers of single sign-on, for the sign-in page and the command line */
    'GET /api/v1/sign-on': {
      answer: Schemas['SignOnIssuers'];
    };
    /** @description Sign in to the web console at an issuer: redirects the browser to it */
    'GET /api/v1/sign-on/{issuer}': {
      answer: unknown;
    };
    /** @description Where the issuer sends the browser back; starts a session of the web console */
    'GET /api/v1/sign-on/{issuer}/callback': {
      answer: unknown;
    };
    /** @description End the sessions that a logout token names (OpenID Connect Back-Channel Logout) */
    'POST /api/v1/sign-on/{issuer}/logout': {
      body: unknown;
      answer: null;
    };
    /** @description Follow runs: one event when a run is recorded, changes its state or ends */
    'GET /api/v1/runs/events': {
      query?: {
        /** @description Only runs of this flow */
        flow_id?: string;
        /** @description Only runs of this version of the flow; needs flow_id */
        flow_version?: number;
        /** @description Only runs that this endpoint started */
        origin?: 'run' | 'webhook' | 'advanced';
        /** @description Only runs in this pool */
        pool?: string;
        /** @description Only runs of this session */
        session_id?: string;
        /** @description Runs of this user; those of others are for admins */
        user_id?: string;
        /** @description Runs of all users, for admins */
        all_users?: boolean;
      };
      answer: unknown;
    };
    /** @description Count runs by time and state, with percentiles of their durations */
    'GET /api/v1/runs/history': {
      query?: {
        /** @description How many hours back, up to 720; 24 when absent */
        hours?: number;
        /** @description Seconds of an interval; at most 500 intervals. It follows from the hours when absent */
        interval?: number;
        /** @description Only runs of this flow */
        flow_id?: string;
        /** @description Runs of this user; those of others are for admins */
        user_id?: string;
        /** @description Runs of all users, for admins */
        all_users?: boolean;
      };
      answer: Schemas['RunHistory'];
    };
    /** @description Count the runs of each of your flows, with success rates and percentiles */
    'GET /api/v1/flows/stats': {
      query?: {
        /** @description How many hours back, up to 720; 24 when absent */
        hours?: number;
      };
      answer: Schemas['FlowStatistics'];
    };
    /** @description Read why runs wait, by their ids; unknown ones are left out */
    'GET /api/v1/runs/waiting': {
      query: {
        /** @description Ids of up to 100 runs, separated by commas */
        ids: string;
        /** @description Reads also a run of another user, for admins */
        all_users?: boolean;
      };
      answer: Schemas['WaitingRuns'];
    };
    /** @description Read why a run waits: the reason, with its number or time */
    'GET /api/v1/runs/{run_id}/waiting': {
      query?: {
        /** @description Reads also a run of another user, for admins */
        all_users?: boolean;
      };
      answer: Schemas['WaitingRun'];
    };
    /** @description Sum what ended runs used: runs, failures, tokens, cost, waiting time */
    'GET /api/v1/usage': {
      query?: {
        /** @description What the sums are by, separated by commas; one sum when absent */
        by?: string;
        /** @description A sum for each hour or day of UTC */
        interval?: 'none' | 'day' | 'hour';
        /**
         * Format: date-time
         * @description From this hour on; 7 days before the end when absent
         */
        from?: string;
        /**
         * Format: date-time
         * @description Before this time; now when absent
         */
        before?: string;
        /** @description Only runs of this flow */
        flow_id?: string;
        /** @description Runs of this user; those of others are for admins */
        user_id?: string;
        /** @description Runs of all users, for admins */
        all_users?: boolean;
        /** @description Maximum number of rows, up to 10000 */
        limit?: number;
        /** @description How the rows are sent */
        format?: 'json' | 'csv';
      };
      answer: Schemas['UsageReport'];
    };
    /** @description List the alerts of flows that have not ended, newest first */
    'GET /api/v1/alerts': {
      query?: {
        /** @description Only alerts of this flow */
        flow_id?: string;
        /** @description Maximum number of entries, up to 200 */
        limit?: number;
        /** @description How many entries to pass over */
        offset?: number;
      };
      answer: Schemas['Alert'][];
    };
    /** @description List runs, newest first */
    'GET /api/v1/runs': {
      query?: {
        /** @description Only runs of this flow */
        flow_id?: string;
        /** @description Only runs of the flows that are in this project now */
        project_id?: string;
        /** @description Only runs of this version of the flow; needs flow_id */
        flow_version?: number;
        /** @description Only runs with this status, or with one of several, separated by commas */
        status?: string;
        /** @description Only runs that this endpoint started */
        origin?: 'run' | 'webhook' | 'advanced';
        /** @description Only runs in this pool */
        pool?: string;
        /** @description Only runs of this session */
        session_id?: string;
        /** @description Only runs that failed with this code */
        error_code?: string;
        /** @description Only runs in which this vertex failed */
        vertex_id?: string;
        /** @description Only runs that called this model */
        model?: string;
        /** @description Only runs that this API key asked for: those stored before they start, and of others those that failed or are of end users; runs of webhooks, schedules and queues have no key */
        key_id?: string;
        /**
         * Format: date-time
         * @description Only runs that were accepted at this time or later
         */
        accepted_from?: string;
        /**
         * Format: date-time
         * @description Only runs that were accepted before this time
         */
        accepted_before?: string;
        /** @description Runs of this user; those of others are for admins */
        user_id?: string;
        /** @description Runs of all users, for admins */
        all_users?: boolean;
        /** @description The next_cursor of an earlier answer with the same filter */
        cursor?: string;
        /** @description Only runs older than this run */
        before?: string;
        /** @description Maximum number of runs, up to 200 */
        limit?: number;
      };
      answer: Schemas['RunList'];
    };
    /** @description Delete the records of ended runs */
    'DELETE /api/v1/runs': {
      query: {
        /** @description Only runs with this status */
        status: 'dead' | 'failed' | 'timed_out' | 'cancelled' | 'succeeded';
        /** @description Only runs of this flow */
        flow_id?: string;
      };
      answer: {
        deleted: number;
      };
    };
    /** @description Read a run: state, timings, result */
    'GET /api/v1/runs/{run_id}': {
      query?: {
        /** @description Reads also a run of another user, for admins */
        all_users?: boolean;
      };
      answer: Schemas['Run'];
    };
    /** @description Delete the record of an ended run */
    'DELETE /api/v1/runs/{run_id}': {
      answer: null;
    };
    /** @description Cancel a run */
    'POST /api/v1/runs/{run_id}/cancel': {
      answer:
        | Schemas['RunSummary']
        | {
            id: string;
            status: 'running';
          };
    };
    /** @description List the attempts of a run: their workers, times, and how they ended; at most 100. With the warnings and errors of the log */
    'GET /api/v1/runs/{run_id}/attempts': {
      query?: {
        /** @description Reads also a run of another user, for admins */
        all_users?: boolean;
      };
      answer: Schemas['RunAttempts'];
    };
    /** @description Read what your run was asked for: inputs, tweaks, files, the body of a webhook */
    'GET /api/v1/runs/{run_id}/request': {
      answer: Schemas['RunRequestRecord'];
    };
    /** @description Replay runs that are dead, failed or timed out */
    'POST /api/v1/runs/replay': {
      body: Schemas['ReplayRequest'];
      answer: Schemas['Replays'];
    };
    /** @description Replay a run that is dead, failed or timed out, or run any run again with changes of its request */
    'POST /api/v1/runs/{run_id}/replay': {
      query?: {
        /**
         * @description The version of the flow to run: the current one, or that of the run
         * @default current
         */
        version?: 'same' | 'current';
      };
      body: Schemas['ChangedReplay'] | null;
      answer: Schemas['Replays'];
    };
    /** @description Cancel or replay the runs of a filter: count them first, then repeat the request with the token */
    'POST /api/v1/runs/bulk': {
      body: Schemas['BulkRequest'];
      answer: Schemas['CountedRuns'] | Schemas['ReachedRuns'];
    };
    /** @description List messages */
    'GET /api/v1/monitor/messages': {
      query?: {
        /** @description Only messages of this flow */
        flow_id?: string;
        /** @description Only messages of this session */
        session_id?: string;
        /** @description Only messages of the sessions of this end user */
        end_user_id?: string;
        /** @description Only messages that this run stored */
        run_id?: string;
        /** @description Only messages of this type of sender */
        sender?: string;
        /** @description Only messages of the sender with this name */
        sender_name?: string;
        /**
         * @description timestamp, sender, sender_name, session_id or text
         * @default timestamp
         */
        order_by?: string;
        /**
         * @description ASC or DESC
         * @default ASC
         */
        order?: string;
        /** @description Maximum number of messages, the newest: 100 by default, at most 200 */
        limit?: number;
        /** @description Number of messages to skip */
        offset?: number;
        /** @description Longer texts are cut to this many characters */
        text_limit?: number;
      };
      answer: Schemas['Message'][];
    };
    /** @description Delete messages */
    'DELETE /api/v1/monitor/messages': {
      body: string[];
      answer: null;
    };
    /** @description List sessions */
    'GET /api/v1/monitor/messages/sessions': {
      query?: {
        /** @description Only sessions of this flow */
        flow_id?: string;
        /** @description Only sessions of this end user */
        end_user_id?: string;
        /** @description Maximum number of sessions: 100 by default, at most 200 */
        limit?: number;
        /** @description Number of sessions to skip */
        offset?: number;
      };
      answer: string[];
    };
    /** @description Delete the messages of up to 500 sessions */
    'DELETE /api/v1/monitor/messages/sessions': {
      body: string[];
      answer: {
        message: string;
        deleted_count: number;
      };
    };
    /** @description Change a message */
    'PUT /api/v1/monitor/messages/{message_id}': {
      body: Schemas['MessageChanges'];
      answer: Schemas['EditedMessage'];
    };
    /** @description Rename a session */
    'PATCH /api/v1/monitor/messages/session/{session_id}': {
      query: {
        /** @description The new id */
        new_session_id: string;
      };
      answer: Schemas['Message'][];
    };
    /** @description Delete the messages of a session */
    'DELETE /api/v1/monitor/messages/session/{session_id}': {
      answer: null;
    };
    /** @description List sessions with a run that is kept, that with the newest run first */
    'GET /api/v1/conversations': {
      query?: {
        /** @description Only sessions of this flow */
        flow_id?: string;
        /** @description Only this session, in each flow that has it */
        session_id?: string;
        /** @description The next_cursor of an earlier answer to the same question */
        cursor?: string;
        /** @description Maximum number of entries, up to 100 */
        limit?: number;
      };
      answer: Schemas['ConversationList'];
    };
    /** @description Read the messages of a session, newest first */
    'GET /api/v1/conversations/messages': {
      query: {
        /** @description The flow */
        flow_id: string;
        /** @description The session */
        session_id: string;
        /** @description The next_cursor of an earlier answer to the same question */
        cursor?: string;
        /** @description Maximum number of entries, up to 100 */
        limit?: number;
        /** @description Longer texts are cut to this many characters */
        text_limit?: number;
      };
      answer: Schemas['ConversationMessages'];
    };
    /** @description Create a flow */
    'POST /api/v1/flows/': {
      query?: {
        /** @description `stock` runs the stock component instead of edited code */
        code?: 'refuse' | 'stock';
      };
      body: Schemas['NewFlow'];
      answer: Schemas['StoredFlow'];
    };
    /** @description List flows */
    'GET /api/v1/flows/': {
      query?: {
        /** @description Only flows of this folder */
        folder_id?: string;
        /** @description Only flows of these types; several are separated by commas */
        flow_type?: string;
        /**
         * @description Only components
         * @default false
         */
        components_only?: boolean;
        /**
         * @description Without effect: there are no example flows
         * @default false
         */
        remove_example_flows?: boolean;
        /**
         * @description Omits the documents
         * @default false
         */
        header_flows?: boolean;
        /**
         * @description False returns one page of the flows of a project
         * @default true
         */
        get_all?: boolean;
        /**
         * @description Number of the page, from 1
         * @default 1
         */
        page?: number;
        /**
         * @description Flows per page
         * @default 50
         */
        size?: number;
      };
      answer:
        | (Schemas['Flow'] | Schemas['FlowHeader'])[]
        | {
            items: (Schemas['Flow'] | Schemas['FlowHeader'])[];
            total: number;
            page: number;
            size: number;
            pages: number;
          };
    };
    /** @description Delete flows */
    'DELETE /api/v1/flows/': {
      body: string[];
      answer: {
        deleted: number;
      };
    };
    /** @description Create the flows of an export, or of a ZIP archive of exports */
    'POST /api/v1/flows/upload/': {
      query?: {
        /** @description `stock` runs the stock component instead of edited code */
        code?: 'refuse' | 'stock';
      };
      body: Schemas['NewFlow'] | Schemas['NewFlows'] | Schemas['NewFlow'][];
      answer: Schemas['StoredFlow'][];
    };
    /** @description Create several flows */
    'POST /api/v1/flows/batch/': {
      query?: {
        /** @description `stock` runs the stock component instead of edited code */
        code?: 'refuse' | 'stock';
      };
      body: Schemas['NewFlows'];
      answer: Schemas['StoredFlow'][];
    };
    /** @description Export flows */
    'POST /api/v1/flows/download/': {
      body: string[];
      answer: Schemas['ExportedFlow'];
    };
    /** @description Read a flow */
    'GET /api/v1/flows/{flow_id}': {
      answer: Schemas['Flow'];
    };
    /** @description Change a flow; its settings are merged */
    'PATCH /api/v1/flows/{flow_id}': {
      body: Schemas['FlowChanges'];
      answer: Schemas['StoredFlow'];
    };
    /** @description Replace a flow with its settings, or create it with this id */
    'PUT /api/v1/flows/{flow_id}': {
      body: Schemas['NewFlow'];
      answer: Schemas['StoredFlow'] | Schemas['StoredFlow'];
    };
    /** @description Delete a flow */
    'DELETE /api/v1/flows/{flow_id}': {
      answer: {
        message: string;
      };
    };
    /** @description List the flows of a project as tools of the Model Context Protocol */
    'GET /api/v1/mcp/project/{project_id}': {
      query?: {
        /** @description False also lists flows that are no tools; default true */
        mcp_enabled?: boolean;
      };
      answer: {
        tools: {
          id: string;
          mcp_enabled: boolean;
          action_name: string;
          action_description: string;
          name: string;
          description: string | null;
        }[];
        auth_settings: {
          auth_type: string | null;
          oauth_host: string | null;
          oauth_port: string | null;
          oauth_server_url: string | null;
          oauth_callback_path: string | null;
          oauth_callback_url: string | null;
          oauth_client_id: string | null;
          oauth_client_secret: string | null;
          oauth_auth_url: string | null;
          oauth_token_url: string | null;
          oauth_mcp_scope: string | null;
          oauth_provider_scope: string | null;
        } | null;
        server_name: string;
      };
    };
    /** @description Change which flows of a project are tools, and their names and descriptions */
    'PATCH /api/v1/mcp/project/{project_id}': {
      body: {
        settings: {
          id: string;
          mcp_enabled?: boolean | (0 | 1) | string | null;
          action_name?: string | null;
          action_description?: string | null;
          name?: string | null;
          description?: string | null;
        }[];
        auth_settings?: Record<string, unknown> | null;
      };
      answer: {
        message: string;
      };
    };
    /** @description List projects: the default one first, the others by name */
    'GET /api/v1/projects/': {
      answer: (Schemas['Project'] & {
        owner_username: string;
        is_owner: boolean;
      })[];
    };
    /** @description Create a project, with flows that are moved to it */
    'POST /api/v1/projects/': {
      body: Schemas['NewProject'];
      answer: Schemas['Project'];
    };
    /** @description Create a project from an archive of flows, or from a document that names it */
    'POST /api/v1/projects/upload/': {
      body: unknown;
      answer: Schemas['StoredFlow'][];
    };
    /** @description Export the flows of a project, without secrets */
    'GET /api/v1/projects/download/{project_id}': {
      answer: unknown;
    };
    /** @description Read a project with its flows */
    'GET /api/v1/projects/{project_id}': {
      query?: {
        /** @description Number of the page, from 1; needs `size` */
        page?: number;
        /** @description Flows per page, up to 100; needs `page` */
        size?: number;
        /** @description With pages: only components */
        is_component?: boolean;
        /** @description With pages: no components */
        is_flow?: boolean;
        /** @description With pages: only flows with this in their name */
        search?: string;
      };
      answer: Schemas['ProjectWithFlows'];
    };
    /** @description Change a project */
    'PATCH /api/v1/projects/{project_id}': {
      body: Schemas['ProjectChanges'];
      answer: Schemas['Project'];
    };
    /** @description Change a project, or create it with this id */
    'PUT /api/v1/projects/{project_id}': {
      body: Schemas['NewProject'];
      answer: Schemas['Project'] | Schemas['Project'];
    };
    /** @description Delete a project with its flows */
    'DELETE /api/v1/projects/{project_id}': {
      answer: null;
    };
    /** @description List the members of a project; those of groups have an `issuer` */
    'GET /api/v1/members/{project_id}': {
      answer: {
        members: Schemas['Member'][];
      };
    };
    /** @description Make a user, by id or name, a member of a project, or change the role; open streams of the member end */
    'PUT /api/v1/members/{project_id}/{user}': {
      body: Schemas['MemberBody'];
      answer: Schemas['Member'];
    };
    /** @description Remove a member, by id or name, from a project; their open streams end */
    'DELETE /api/v1/members/{project_id}/{user}': {
      answer: null;
    };
    /** @description List the projects of other users that you are a member of */
    'GET /api/v1/memberships': {
      answer: {
        memberships: Schemas['Membership'][];
      };
    };
    /** @description Leave a project of another user; your open streams of it end */
    'DELETE /api/v1/memberships/{project_id}': {
      answer: null;
    };
    /** @description Check how the flows of an export would run, without creating them */
    'POST /api/v1/flows/check': {
      query?: {
        /** @description `stock` runs the stock component instead of edited code */
        code?: 'refuse' | 'stock';
      };
      body: Schemas['NewFlow'] | Schemas['NewFlows'] | Schemas['NewFlow'][];
      answer: {
        name: string;
        runnable: boolean;
        verdict:
          | 'runnable'
          | 'approximated'
          | 'needs_credentials'
          | 'needs_approval'
          | 'needs_package'
          | 'needs_python'
          | 'refused';
        vertices: {
          id: string;
          type: string;
          status:
            | 'native'
            | 'upgraded'
            | 'approximated'
            | 'python'
            | 'needs_credentials'
            | 'needs_approval'
            | 'needs_package'
            | 'needs_python'
            | 'refused';
          reason: string | null;
          acceptable: boolean;
          sha256: string | null;
        }[];
        problems: {
          code: string;
          blocks: boolean;
          vertex_id: string | null;
          component_type: string | null;
          message: string;
        }[];
      }[];
    };
    /** @description Accept the stock component instead of the edited code of vertices */
    'POST /api/v1/flows/{flow_id}/accepted-code': {
      body: Schemas['AcceptedCode'];
      answer: Schemas['FlowReport'];
    };
    /** @description Write a compact flow as the data of a flow */
    'POST /api/v1/flows/expand/': {
      body: Schemas['CompactFlow'];
      answer: {
        nodes: Record<string, unknown>[];
        edges: Record<string, unknown>[];
      };
    };
    /** @description Describe the calls of a flow as an OpenAPI document: inputs, fields for tweaks, outputs */
    'GET /api/v1/flows/{flow_id}/openapi.json': {
      answer: Record<string, unknown>;
    };
    /** @description Read which state of a flow is the present one */
    'GET /api/v1/flows/{flow_id}/version-state': {
      answer: Schemas['FlowVersionState'];
    };
    /** @description List the versions of a flow, newest first */
    'GET /api/v1/flows/{flow_id}/versions': {
      query?: {
        /** @description The next_cursor of an earlier answer */
        cursor?: number;
        /** @description Maximum number of versions, up to 200 */
        limit?: number;
      };
      answer: Schemas['FlowVersionList'];
    };
    /** @description Read a version of a flow, without the values of its secret fields */
    'GET /api/v1/flows/{flow_id}/versions/{version}': {
      query?: {
        /** @description The owner of the flow, for admins */
        user_id?: string;
      };
      answer: Schemas['FlowVersion'];
    };
    /** @description Compare a version of a flow with another one */
    'GET /api/v1/flows/{flow_id}/versions/{version}/diff': {
      query?: {
        /** @description The version to compare with; the active one unless given */
        to?: number;
      };
      answer: Schemas['FlowVersionDiff'];
    };
    /** @description Activate the document of a version: it becomes the newest version of the flow */
    'POST /api/v1/flows/{flow_id}/versions/{version}/activate': {
      answer: Schemas['ActivatedVersion'];
    };
    /** @description Pause a flow: callers get 503 with the reason, background runs wait */
    'POST /api/v1/flows/{flow_id}/pause': {
      body?: Schemas['FlowPause'];
      answer: Schemas['FlowPauseState'];
    };
    /** @description End the pause of a flow; the background runs that wait start */
    'POST /api/v1/flows/{flow_id}/resume': {
      answer: Schemas['FlowPauseState'];
    };
    /** @description Upload a file for a flow */
    'POST /api/v1/files/upload/{flow_id}': {
      body: unknown;
      answer: Schemas['FlowFile'];
    };
    /** @description Upload a file for a flow */
    'POST /api/v1/upload/{flow_id}': {
      body: unknown;
      answer: Schemas['FlowFile'];
    };
    /** @description List the files of a flow */
    'GET /api/v1/files/list/{flow_id}': {
      answer: {
        files: string[];
      };
    };
    /** @description Download a file of a flow */
    'GET /api/v1/files/download/{flow_id}/{file_name}': {
      answer: unknown;
    };
    /** @description Show an image of a flow */
    'GET /api/v1/files/images/{flow_id}/{file_name}': {
      answer: unknown;
    };
    /** @description Delete a file of a flow */
    'DELETE /api/v1/files/delete/{flow_id}/{file_name}': {
      answer: {
        message: string;
      };
    };
    /** @description List files */
    'GET /api/v2/files': {
      answer: (Schemas['UserFile'] & {
        user_id: string;
        created_at: string;
        updated_at: string;
      })[];
    };
    /** @description Upload a file */
    'POST /api/v2/files': {
      body: unknown;
      answer: Schemas['UserFile'];
    };
    /** @description Delete all files that belong to no flow */
    'DELETE /api/v2/files': {
      answer: {
        message: string;
      };
    };
    /** @description List files */
    'GET /api/v2/files/': {
      answer: (Schemas['UserFile'] & {
        user_id: string;
        created_at: string;
        updated_at: string;
      })[];
    };
    /** @description Upload a file */
    'POST /api/v2/files/': {
      body: unknown;
      answer: Schemas['UserFile'];
    };
    /** @description Delete all files that belong to no flow */
    'DELETE /api/v2/files/': {
      answer: {
        message: string;
      };
    };
    /** @description Download files in one archive */
    'POST /api/v2/files/batch/': {
      body: string[];
      answer: unknown;
    };
    /** @description Delete files */
    'DELETE /api/v2/files/batch/': {
      body: string[];
      answer: {
        message: string;
      };
    };
    /** @description Download a file */
    'GET /api/v2/files/{file_id}': {
      query?: {
        /**
         * @description True returns the text of the file as a JSON string
         * @default false
         */
        return_content?: boolean;
      };
      answer: string;
    };
    /** @description Rename a file */
    'PUT /api/v2/files/{file_id}': {
      query: {
        /** @description The new name, without the extension */
        name: string;
      };
      answer: Schemas['UserFile'];
    };
    /** @description Delete a file */
    'DELETE /api/v2/files/{file_id}': {
      answer: {
        detail: string;
      };
    };
    /** @description List knowledge bases, newest first */
    'GET /api/v1/knowledge_bases': {
      answer: Schemas['KnowledgeBase'][];
    };
    /** @description Create an empty knowledge base, with the embedding model that flows use for it */
    'POST /api/v1/knowledge_bases': {
      body: Schemas['NewKnowledgeBase'];
      answer: Schemas['KnowledgeBase'];
    };
    /** @description Delete several knowledge bases */
    'DELETE /api/v1/knowledge_bases': {
      body: Schemas['KnowledgeBaseNames'];
      answer: {
        message: string;
        deleted_count: number;
        not_found?: string;
      };
    };
    /** @description List knowledge bases, newest first */
    'GET /api/v1/knowledge_bases/': {
      answer: Schemas['KnowledgeBase'][];
    };
    /** @description Create an empty knowledge base, with the embedding model that flows use for it */
    'POST /api/v1/knowledge_bases/': {
      body: Schemas['NewKnowledgeBase'];
      answer: Schemas['KnowledgeBase'];
    };
    /** @description Delete several knowledge bases */
    'DELETE /api/v1/knowledge_bases/': {
      body: Schemas['KnowledgeBaseNames'];
      answer: {
        message: string;
        deleted_count: number;
        not_found?: string;
      };
    };
    /** @description Read a knowledge base */
    'GET /api/v1/knowledge_bases/{kb_name}': {
      answer: Schemas['KnowledgeBase'];
    };
    /** @description Delete a knowledge base with its texts */
    'DELETE /api/v1/knowledge_bases/{kb_name}': {
      answer: {
        message: string;
      };
    };
    /** @description Write uploaded files to a knowledge base, as a run in the background */
    'POST /api/v1/knowledge_bases/{kb_name}/ingest': {
      body: unknown;
      answer: Schemas['KnowledgeBaseTask'];
    };
    /** @description List the uploads to a knowledge base, newest first */
    'GET /api/v1/knowledge_bases/{kb_name}/runs': {
      query?: {
        /** @description Number of the page, from 1 */
        page?: number;
        /** @description Uploads per page, up to 100 */
        limit?: number;
      };
      answer: Schemas['KnowledgeBaseUploadPage'];
    };
    /** @description Read an upload to a knowledge base */
    'GET /api/v1/knowledge_bases/{kb_name}/runs/{run_id}': {
      answer: Schemas['KnowledgeBaseUpload'];
    };
    /** @description Cancel the newest upload to a knowledge base */
    'POST /api/v1/knowledge_bases/{kb_name}/cancel': {
      answer: {
        message: string;
      };
    };
    /** @description List the texts of a knowledge base */
    'GET /api/v1/knowledge_bases/{kb_name}/chunks': {
      query?: {
        /** @description Number of the page, from 1 */
        page?: number;
        /** @description Texts per page, up to 100 */
        limit?: number;
        /** @description Only texts that contain this, in any case */
        search?: string;
        /** @description Only texts with this `source_type` in their metadata */
        source_type?: string;
        /** @description Only texts with this `file_name` in their metadata */
        file_name?: string;
        /** @description Only texts with this `job_id` in their metadata */
        job_id?: string;
      };
      answer: Schemas['KnowledgeBaseTextPage'];
    };
    /** @description List the names of metadata in a knowledge base, with their values */
    'GET /api/v1/knowledge_bases/{kb_name}/metadata/keys': {
      answer: Schemas['KnowledgeBaseMetadata'];
    };
    /** @description List the triggers of a flow, oldest first */
    'GET /api/v1/triggers': {
      query: {
        /** @description The flow */
        flow_id: string;
        /**
         * @description Maximum number of entries
         * @default 50
         */
        limit?: number;
        /**
         * @description How many entries to pass over
         * @default 0
         */
        offset?: number;
      };
      answer: Schemas['Trigger'][];
    };
    /** @description Create a trigger of a flow */
    'POST /api/v1/triggers': {
      body: Schemas['NewTrigger'];
      answer: Schemas['Trigger'];
    };
    /** @description Read a trigger */
    'GET /api/v1/triggers/{trigger_id}': {
      answer: Schemas['Trigger'];
    };
    /** @description Change a trigger */
    'PATCH /api/v1/triggers/{trigger_id}': {
      body: Schemas['TriggerChanges'];
      answer: Schemas['Trigger'];
    };
    /** @description Delete a trigger with its events; their runs stay */
    'DELETE /api/v1/triggers/{trigger_id}': {
      answer: null;
    };
    /** @description Enable a trigger: a schedule begins to fire, a source begins to consume */
    'POST /api/v1/triggers/{trigger_id}/enable': {
      answer: Schemas['Trigger'];
    };
    /** @description Pause a trigger: it accepts no events, a schedule does not fire, and a source does not consume */
    'POST /api/v1/triggers/{trigger_id}/disable': {
      answer: Schemas['Trigger'];
    };
    /** @description Pin a trigger to a version of its flow; null for the newest version */
    'POST /api/v1/triggers/{trigger_id}/pin': {
      body: Schemas['TriggerPin'];
      answer: Schemas['Trigger'];
    };
    /** @description Start a run with a test event */
    'POST /api/v1/triggers/{trigger_id}/test': {
      body: Schemas['TriggerTest'];
      answer: Schemas['TriggerEvent'];
    };
    /** @description Start a run with the payload of an earlier event */
    'POST /api/v1/triggers/{trigger_id}/replay': {
      body: Schemas['TriggerReplay'];
      answer: Schemas['TriggerEvent'];
    };
    /** @description List the events of a trigger, newest first */
    'GET /api/v1/triggers/{trigger_id}/events': {
      query?: {
        /**
         * @description Maximum number of entries
         * @default 50
         */
        limit?: number;
        /**
         * @description How many entries to pass over
         * @default 0
         */
        offset?: number;
      };
      answer: Schemas['TriggerEvent'][];
    };
    /** @description List the newest rejected messages of a trigger of kind rabbitmq */
    'GET /api/v1/triggers/{trigger_id}/rejections': {
      query?: {
        /**
         * @description Maximum number of entries
         * @default 50
         */
        limit?: number;
        /**
         * @description How many entries to pass over
         * @default 0
         */
        offset?: number;
      };
      answer: {
        id: string;
        reason: 'too_large' | 'undecodable' | 'refused';
        detail: string;
        message_id: string | null;
        bytes: number;
        excerpt: string | null;
        created_at: string;
      }[];
    };
    /** @description Read the address of an inbound webhook */
    'GET /api/v1/triggers/{trigger_id}/ingress': {
      answer: Schemas['TriggerIngress'];
    };
    /** @description Make a new signing secret for an inbound webhook; the old secret ends */
    'POST /api/v1/triggers/{trigger_id}/signing-secret': {
      answer: Schemas['SigningSecret'];
    };
    /** @description List the schedules of all flows with their next ten times, oldest first */
    'GET /api/v1/schedules': {
      query?: {
        /**
         * @description Maximum number of entries
         * @default 50
         */
        limit?: number;
        /**
         * @description How many entries to pass over
         * @default 0
         */
        offset?: number;
      };
      answer: Schemas['Schedule'][];
    };
    /** @description Check the configuration of a schedule and list its next ten times; nothing is stored */
    'POST /api/v1/schedules/preview': {
      body: Schemas['SchedulePreviewRequest'];
      answer: Schemas['SchedulePreview'];
    };
    /** @description Read a schedule with its next ten times */
    'GET /api/v1/schedules/{schedule_id}': {
      answer: Schemas['Schedule'];
    };
    /** @description List callbacks, newest first */
    'GET /api/v1/callbacks': {
      query?: {
        /** @description Only callbacks of runs of this flow */
        flow_id?: string;
        /** @description Only callbacks of this run */
        run_id?: string;
        /** @description Only callbacks in this state */
        state?: 'pending' | 'delivered' | 'dead';
        /** @description Maximum number of entries, up to 200 */
        limit?: number;
        /** @description How many entries to pass over */
        offset?: number;
      };
      answer: Schemas['Callback'][];
    };
    /** @description Send callbacks again that were delivered or given up, under their ids */
    'POST /api/v1/callbacks/replay': {
      body: Schemas['CallbackReplay'];
      answer: Schemas['ReplayedCallbacks'];
    };
    /** @description Read a callback with the log of its last 100 attempts */
    'GET /api/v1/callbacks/{callback_id}': {
      answer: Schemas['CallbackLog'];
    };
    /** @description Delete a callback with its log; a pending one is not sent any more */
    'DELETE /api/v1/callbacks/{callback_id}': {
      answer: null;
    };
    /** @description Send a callback again that was delivered or given up, under its id */
    'POST /api/v1/callbacks/{callback_id}/replay': {
      answer: Schemas['ReplayedCallbacks'];
    };
    /** @description Create a variable */
    'POST /api/v1/variables/': {
      body: Schemas['NewVariable'];
      answer: Schemas['Variable'];
    };
    /** @description List variables */
    'GET /api/v1/variables/': {
      answer: Schemas['Variable'][];
    };
    /** @description Compare the values of variables, without sending them, by a keyed digest of each */
    'POST /api/v1/variables/compare': {
      body: Schemas['VariableDigests'];
      answer: {
        equal: string[];
      };
    };
    /** @description Change a variable */
    'PATCH /api/v1/variables/{variable_id}': {
      body: Schemas['VariableChanges'];
      answer: Schemas['Variable'];
    };
    /** @description Delete a variable */
    'DELETE /api/v1/variables/{variable_id}': {
      answer: null;
    };
    /** @description Offer the flows of a project as tools of the Model Context Protocol */
    'POST /api/v1/mcp/project/{project_id}/streamable': {
      body: Record<string, unknown>;
      answer: unknown | null;
    };
    /** @description There is no stream of messages to follow */
    'GET /api/v1/mcp/project/{project_id}/streamable': {
      answer: unknown;
    };
    /** @description There is no session to end */
    'DELETE /api/v1/mcp/project/{project_id}/streamable': {
      answer: unknown;
    };
    /** @description Offer the user's flows as tools of the Model Context Protocol */
    'POST /api/v1/mcp/streamable': {
      body: Record<string, unknown>;
      answer: unknown | null;
    };
    /** @description There is no stream of messages to follow */
    'GET /api/v1/mcp/streamable': {
      answer: unknown;
    };
    /** @description There is no session to end */
    'DELETE /api/v1/mcp/streamable': {
      answer: unknown;
    };
    /** @description Whether the Model Context Protocol is offered over server-sent events */
    'HEAD /api/v1/mcp/sse': {
      answer: null;
    };
    /** @description Offer flows as tools of the Model Context Protocol over server-sent events */
    'GET /api/v1/mcp/sse': {
      answer: unknown;
    };
    /** @description Send a message of the Model Context Protocol to an open stream */
    'POST /api/v1/mcp/': {
      query?: {
        /** @description The session that the stream named */
        session_id?: string;
      };
      body: Record<string, unknown>;
      answer: null;
    };
    /** @description Whether the Model Context Protocol is offered over server-sent events */
    'HEAD /api/v1/mcp/project/{project_id}/sse': {
      answer: null;
    };
    /** @description Offer flows as tools of the Model Context Protocol over server-sent events */
    'GET /api/v1/mcp/project/{project_id}/sse': {
      answer: unknown;
    };
    /** @description Send a message of the Model Context Protocol to an open stream */
    'POST /api/v1/mcp/project/{project_id}/': {
      query?: {
        /** @description The session that the stream named */
        session_id?: string;
      };
      body: Record<string, unknown>;
      answer: null;
    };
    /** @description List MCP servers */
    'GET /api/v2/mcp/servers': {
      query?: {
        /** @description Accepted without effect: only flows connect to the servers */
        action_count?: boolean;
      };
      answer: {
        name: string;
        mode: string | null;
        toolsCount: number | null;
      }[];
    };
    /** @description Read the configuration of an MCP server */
    'GET /api/v2/mcp/servers/{server_name}': {
      answer: Record<string, unknown> | null;
    };
    /** @description Create an MCP server that flows can refer to */
    'POST /api/v2/mcp/servers/{server_name}': {
      body: Schemas['McpServer'];
      answer: Record<string, unknown> | null;
    };
    /** @description Change members of an MCP server */
    'PATCH /api/v2/mcp/servers/{server_name}': {
      body: Schemas['McpServer'];
      answer: Record<string, unknown> | null;
    };
    /** @description Delete an MCP server */
    'DELETE /api/v2/mcp/servers/{server_name}': {
      answer: null;
    };
    /** @description List the user's flows that agents of other systems can call */
    'GET /api/v1/a2a/agents': {
      answer: {
        id: string;
        name: string;
        description: string | null;
        cardUrl: string;
      }[];
    };
    /** @description Read the agent card of a flow */
    'GET /api/v1/a2a/{flow_id}/.well-known/agent-card.json': {
      answer: Schemas['AgentCard'];
    };
    /** @description Call a flow as an agent (A2A 0.3, JSON-RPC) */
    'POST /api/v1/a2a/{flow_id}/jsonrpc': {
      body: {
        jsonrpc: '2.0';
        id: string | number;
        method: 'message/send' | 'message/stream' | 'tasks/get' | 'tasks/cancel' | 'tasks/resubscribe';
        params: Record<string, unknown>;
      };
      answer: Schemas['AgentAnswer'];
    };
    /** @description List the audit log, newest first */
    'GET /api/v1/audit': {
      query?: {
        /** @description Only entries of this acting user */
        user_id?: string;
        /** @description Only entries of this API key, by its id */
        key_id?: string;
        /** @description Only this action, or all actions on this kind of object */
        action?: Schemas['AuditAction'];
        /** @description Only entries about the object with this id */
        object_id?: string;
        /**
         * Format: date-time
         * @description Only entries from this time on
         */
        from?: string;
        /**
         * Format: date-time
         * @description Only entries before this time
         */
        to?: string;
        /** @description Only entries before this position */
        before?: number;
        /** @description Maximum number of entries, up to 1000 */
        limit?: number;
      };
      answer: Schemas['AuditPage'];
    };
    /** @description Export the audit log as JSON lines, oldest first */
    'GET /api/v1/audit/export': {
      query?: {
        /** @description Only entries of this acting user */
        user_id?: string;
        /** @description Only entries of this API key, by its id */
        key_id?: string;
        /** @description Only this action, or all actions on this kind of object */
        action?: Schemas['AuditAction'];
        /** @description Only entries about the object with this id */
        object_id?: string;
        /**
         * Format: date-time
         * @description Only entries from this time on
         */
        from?: string;
        /**
         * Format: date-time
         * @description Only entries before this time
         */
        to?: string;
      };
      answer: unknown;
    };
    /** @description List your API keys */
    'GET /api/v1/api_key/': {
      answer: Schemas['ApiKeyList'];
    };
    /** @description Create an API key */
    'POST /api/v1/api_key/': {
      body?: Schemas['NewApiKey'];
      answer: Schemas['CreatedApiKey'];
    };
    /** @description Replace an API key: a new one with its name and scopes; the old one expires after the overlap, or at once */
    'POST /api/v1/api_key/{api_key_id}/rotate': {
      body?: Schemas['KeyRotation'];
      answer: Schemas['RotatedApiKey'];
    };
    /** @description Change the name, bounds or expiry of an API key, or disable it; its open streams end */
    'PATCH /api/v1/api_key/{api_key_id}': {
      body: Schemas['KeyChanges'];
      answer: Schemas['ApiKey'];
    };
    /** @description Delete an API key */
    'DELETE /api/v1/api_key/{api_key_id}': {
      answer: {
        detail: string;
      };
    };
    /** @description Delete a user with everything that they have, for admins */
    'DELETE /api/v1/users/{user_id}': {
      answer: Schemas['UserDeletion'];
    };
    /** @description Read a user: the caller, or for admins any */
    'GET /api/v1/users/{user_id}': {
      answer: Schemas['User'];
    };
    /** @description Change a user: the caller, or for admins any */
    'PATCH /api/v1/users/{user_id}': {
      body: Schemas['UserChanges'];
      answer: Schemas['User'];
    };
    /** @description Read the user of the API key */
    'GET /api/v1/users/whoami': {
      answer: Schemas['User'];
    };
    /** @description Create a user with a first API key */
    'POST /api/v1/users': {
      body: Schemas['NewUser'];
      answer: Schemas['CreatedUser'];
    };
    /** @description List users, by name */
    'GET /api/v1/users': {
      query?: {
        /** @description How many users of the list to leave out */
        skip?: number;
        /** @description How many users at most, 10 unless given */
        limit?: number;
        /** @description Part of the name, in any case */
        search?: string;
        /** @description The whole name */
        username?: string;
      };
      answer: Schemas['UserPage'];
    };
    /** @description Create a user with a first API key */
    'POST /api/v1/users/': {
      body: Schemas['NewUser'];
      answer: Schemas['CreatedUser'];
    };
    /** @description List users, by name */
    'GET /api/v1/users/': {
      query?: {
        /** @description How many users of the list to leave out */
        skip?: number;
        /** @description How many users at most, 10 unless given */
        limit?: number;
        /** @description Part of the name, in any case */
        search?: string;
        /** @description The whole name */
        username?: string;
      };
      answer: Schemas['UserPage'];
    };
    /** @description List what limits you and your keys, projects and flows */
    'GET /api/v1/limits': {
      answer: {
        limits: Schemas['ListedLimits'][];
        complete: boolean;
      };
    };
    /** @description Read the limits of a key */
    'GET /api/v1/limits/api_key/{api_key_id}': {
      query?: {
        /** @description The end user whose spend is shown in place of that of the key */
        end_user_id?: string;
      };
      answer: Schemas['Limits'];
    };
    /** @description Replace the limits of a key */
    'PUT /api/v1/limits/api_key/{api_key_id}': {
      body: Schemas['KeyLimitsBody'];
      answer: Schemas['Limits'];
    };
    /** @description Read the limits of a user, for admins */
    'GET /api/v1/limits/users/{user_id}': {
      answer: Schemas['Limits'];
    };
    /** @description Replace the limits of a user, for admins */
    'PUT /api/v1/limits/users/{user_id}': {
      body: Schemas['LimitsBody'];
      answer: Schemas['Limits'];
    };
    /** @description Read the limits of a project */
    'GET /api/v1/limits/projects/{project_id}': {
      answer: Schemas['Limits'];
    };
    /** @description Replace the limits of a project */
    'PUT /api/v1/limits/projects/{project_id}': {
      body: Schemas['ProjectLimitsBody'];
      answer: Schemas['Limits'];
    };
    /** @description Read the limits of a flow */
    'GET /api/v1/limits/flows/{flow_id}': {
      answer: Schemas['Limits'];
    };
    /** @description Replace the limits of a flow */
    'PUT /api/v1/limits/flows/{flow_id}': {
      body: Schemas['LimitsBody'];
      answer: Schemas['Limits'];
    };
    /** @description Erase a session, or all sessions of an end user: messages and runs. Repeat until `complete` */
    'POST /api/v1/erasures': {
      body: Schemas['ErasureRequest'];
      answer: Schemas['Erasure'];
    };
    /** @description List the Python code of flows, newest first */
    'GET /api/v1/author-code': {
      query?: {
        /**
         * @description Only code with this status
         * @default waiting
         */
        status?: 'waiting' | 'approved' | 'refused' | 'all';
        /** @description Only code that a flow of this user contained first */
        submitted_by?: string;
        /** @description Maximum number of entries, up to 1000 */
        limit?: number;
      };
      answer: Schemas['AuthorCodeList'];
    };
    /** @description Read Python code of a flow, by its SHA-256 */
    'GET /api/v1/author-code/{sha256}': {
      answer: Schemas['AuthorCodeText'];
    };
    /** @description Approve or refuse Python code, by its SHA-256 */
    'PUT /api/v1/author-code/{sha256}': {
      body: Schemas['AuthorCodeDecision'];
      answer: Schemas['AuthorCode'];
    };
    /** @description Delete Python code and the decision about it */
    'DELETE /api/v1/author-code/{sha256}': {
      answer: null;
    };
    /** @description List the last deliveries that the webhook and triggers of a flow refused, newest first, without bodies */
    'GET /api/v1/flows/{flow_id}/refused-deliveries': {
      answer: Schemas['RefusedDeliveryList'];
    };
    /** @description Sign the body of a test delivery as the senders of the webhook do, with its first secret */
    'POST /api/v1/flows/{flow_id}/test-signature': {
      body: Schemas['TestSignatureBody'];
      answer: Schemas['TestSignature'];
    };
    /** @description Watch the webhook runs of a flow */
    'GET /api/v1/webhook-events/{flow}': {
      answer: unknown;
    };
    /** @description Read the newest record of each vertex of a flow */
    'GET /api/v1/monitor/builds': {
      query: {
        /** @description The flow */
        flow_id: string;
      };
      answer: Schemas['VertexBuilds'];
    };
    /** @description Delete the vertex records of all runs of a flow */
    'DELETE /api/v1/monitor/builds': {
      query: {
        /** @description The flow */
        flow_id: string;
      };
      answer: null;
    };
    /** @description List the vertex records of the newest 50 runs of a flow, newest first */
    'GET /api/v1/monitor/transactions': {
      query: {
        /** @description The flow */
        flow_id: string;
        /** @description Number of the page */
        page?: number;
        /** @description Entries per page */
        size?: number;
      };
      answer: Schemas['TransactionPage'];
    };
    /** @description List the vertex records of runs, newest first */
    'GET /api/v1/monitor/traces': {
      query?: {
        /** @description Only runs of this flow */
        flow_id?: string;
        /** @description Only runs of this session */
        session_id?: string;
        /** @description Only runs with this status */
        status?: 'unset' | 'ok' | 'error';
        /** @description A part of the name of the flow, of the run id or of the session id */
        query?: string;
        /** @description Only runs accepted at this time or later */
        start_time?: string;
        /** @description Only runs accepted at this time or earlier */
        end_time?: string;
        /**
         * @description Number of the page; 0 is the first page, too
         * @default 1
         */
        page?: number;
        /**
         * @description Entries per page
         * @default 50
         */
        size?: number;
      };
      answer: Schemas['TracePage'];
    };
    /** @description Delete the vertex records of all runs of a flow */
    'DELETE /api/v1/monitor/traces': {
      query: {
        /** @description The flow */
        flow_id: string;
      };
      answer: null;
    };
    /** @description Read the vertex records of a run as spans */
    'GET /api/v1/monitor/traces/{trace_id}': {
      answer: Schemas['Trace'];
    };
    /** @description Delete the vertex records of a run */
    'DELETE /api/v1/monitor/traces/{trace_id}': {
      answer: null;
    };
    /** @description Read what the vertices of a run did: kept for failed runs, for others at low rates, and for a sample of the rest */
    'GET /api/v1/runs/{run_id}/trace': {
      query?: {
        /** @description Reads also a run of another user, for admins */
        all_users?: boolean;
        /** @description Of a running run, what its vertices have done so far */
        live?: boolean;
      };
      answer: Schemas['RunTrace'];
    };
    /** @description Read the log, which is not available over HTTP */
    'GET /logs': {
      answer: unknown;
    };
    /** @description Read the log, which is not available over HTTP */
    'GET /logs-stream': {
      answer: unknown;
    };
    /** @description Deprecated: the error names the successor */
    'POST /api/v1/predict/{flow}': {
      answer: unknown;
    };
    /** @description Deprecated: the error names the successor */
    'POST /api/v1/process/{flow}': {
      answer: unknown;
    };
    /** @description Deprecated: the error names the successor */
    'GET /api/v1/task/{task}': {
      answer: unknown;
    };
    /** @description Send a webhook to a flow; it is answered once the run is stored */
    'POST /api/v1/webhook/{flow}': {
      query?: {
        /** @description How long to wait for the answer of the flow, in seconds, where the flow allows it */
        wait?: number;
      };
      body: unknown;
      answer: unknown | Schemas['StartedRun'];
    };
    /** @description Verify the address of a webhook, where the flow has the setting `webhook.challenge` */
    'GET /api/v1/webhook/{flow}': {
      query?: {
        /** @description Meta: `subscribe` */
        'hub.mode'?: string;
        /** @description Meta: the text to answer with */
        'hub.challenge'?: string;
        /** @description Meta: the verify token of the flow */
        'hub.verify_token'?: string;
        /** @description Microsoft Graph: the text to answer with */
        validationToken?: string;
        /** @description X: the text to answer with the signature of */
        crc_token?: string;
      };
      answer: {
        response_token: string;
      };
    };
    /** @description Ask whether the address accepts deliveries */
    'HEAD /api/v1/webhook/{flow}': {
      answer: null;
    };
    /** @description Ask for the consent to deliveries, as senders of CloudEvents do */
    'OPTIONS /api/v1/webhook/{flow}': {
      answer: null;
    };
    /** @description Send a signed delivery to an inbound webhook; it is answered once the event and its run are stored */
    'POST /api/v1/triggers/ingress/{provider}/{public_id}': {
      body?: Record<string, unknown>;
      answer: null;
    };
    /** @description Ask whether the address accepts deliveries */
    'HEAD /api/v1/triggers/ingress/{provider}/{public_id}': {
      answer: null;
    };
    /** @description Ask for the consent to deliveries, as senders of CloudEvents do */
    'OPTIONS /api/v1/triggers/ingress/{provider}/{public_id}': {
      answer: null;
    };
    /** @description The HTTP interface as an OpenAPI document */
    'GET /openapi.json': {
      answer: Record<string, unknown>;
    };
    /** @description The messages between the processes as an AsyncAPI document */
    'GET /asyncapi.json': {
      answer: Record<string, unknown>;
    };
    /** @description The HTTP interface as pages of the guide */
    'GET /docs': {
      answer: unknown;
    };
  };
  /** AcceptedCode */
  AcceptedCode: {
    vertices: string[] | string;
  };
  /** ActivatedVersion */
  ActivatedVersion: {
    id: string;
    version: number;
    created_at: string;
    active: boolean;
    restored_from: number | null;
    report: Schemas['FlowReport'];
  };
  /** AdvancedRunRequest */
  AdvancedRunRequest: {
    inputs?:
      | {
          /** @default [] */
          components?: string[] | null;
          input_value?: string | null;
          session?: string | null;
          /** @default any */
          type?: 'chat' | 'text' | 'any' | null;
          client_request_time?: number | boolean | string | null;
        }[]
      | null;
    outputs?: string[] | null;
    tweaks?: {
      [key: string]: boolean | number | string | Record<string, unknown>;
    } | null;
    /** @default false */
    stream?: boolean | (0 | 1) | string;
    session_id?: string | null;
  };
  /** AgentAnswer */
  AgentAnswer: {
    jsonrpc: '2.0';
    id: string | number | null;
    result?: Schemas['AgentTask'];
    error?: {
      code: number;
      message: string;
      data?: unknown;
    };
  };
  /** AgentCard */
  AgentCard: {
    name: string;
    description: string;
    url: string;
    version: string;
    protocolVersion: string;
    preferredTransport: 'JSONRPC';
    capabilities: {
      streaming: boolean;
      pushNotifications: boolean;
    };
    defaultInputModes: string[];
    defaultOutputModes: string[];
    securitySchemes: Record<string, unknown>;
    security: Record<string, unknown>[];
    skills: {
      id: string;
      name: string;
      description: string;
      tags: string[];
      inputModes: string[];
      outputModes: string[];
      inputSchema: Record<string, unknown>;
    }[];
  };
  /** AgentTask */
  AgentTask: {
    id: string;
    contextId: string;
    kind: 'task';
    status: {
      state: 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'canceled';
      timestamp?: string;
      message?: {
        kind: 'message';
        role: 'agent';
        messageId: string;
        parts: Record<string, unknown>[];
        taskId: string;
        contextId: string;
      };
    };
    artifacts?: {
      artifactId: string;
      name: string;
      parts: Record<string, unknown>[];
    }[];
  };
  /** Alert */
  Alert: {
    alert_id: string;
    flow_id: string;
    flow_name: string;
    rule: string;
    measure: 'failures' | 'latency' | 'waiting' | 'spend';
    threshold: number;
    window_minutes: number;
    value: number | null;
    began_at: string;
  };
  /** Alive */
  Alive: {
    status: 'ok';
  };
  /** ApiKey */
  ApiKey: {
    id: string;
    name: string | null;
    last_used_at: string | null;
    total_uses: number;
    is_active: boolean;
    expires_at: string | null;
    api_key: string;
    user_id: string;
    access?: 'read_only' | 'run_only';
    flows?: string[];
    projects?: string[];
    member?: boolean;
    addresses?: string[];
    end_users?: 'header' | 'token';
    scopes: ('run' | 'manage' | 'admin')[];
    created_at: string;
  };
  /** ApiKeyList */
  ApiKeyList: {
    total_count: number;
    user_id: string;
    api_keys: Schemas['ApiKey'][];
  };
  /** AuditAction */
  AuditAction:
    | 'user'
    | 'key'
    | 'project'
    | 'limits'
    | 'flow'
    | 'variable'
    | 'mcp_server'
    | 'knowledge_base'
    | 'author_code'
    | 'file'
    | 'callback'
    | 'trigger'
    | 'run'
    | 'trace'
    | 'session'
    | 'sign_in'
    | 'secrets'
    | 'user.created'
    | 'user.updated'
    | 'user.deleted'
    | 'key.created'
    | 'key.updated'
    | 'key.rotated'
    | 'key.deleted'
    | 'project.created'
    | 'project.updated'
    | 'project.deleted'
    | 'project.shared'
    | 'project.unshared'
    | 'limits.changed'
    | 'flow.created'
    | 'flow.updated'
    | 'flow.code_accepted'
    | 'flow.version_activated'
    | 'flow.paused'
    | 'flow.resumed'
    | 'flow.deleted'
    | 'variable.created'
    | 'variable.updated'
    | 'variable.deleted'
    | 'mcp_server.created'
    | 'mcp_server.saved'
    | 'mcp_server.deleted'
    | 'knowledge_base.created'
    | 'knowledge_base.deleted'
    | 'author_code.approved'
    | 'author_code.refused'
    | 'author_code.deleted'
    | 'file.uploaded'
    | 'file.renamed'
    | 'file.deleted'
    | 'callback.replayed'
    | 'callback.deleted'
    | 'trigger.created'
    | 'trigger.updated'
    | 'trigger.enabled'
    | 'trigger.disabled'
    | 'trigger.pinned'
    | 'trigger.secret_rotated'
    | 'trigger.deleted'
    | 'run.answered'
    | 'run.cancelled'
    | 'run.replayed'
    | 'run.deleted'
    | 'trace.deleted'
    | 'session.created'
    | 'session.ended'
    | 'session.erased'
    | 'sign_in.refused'
    | 'secrets.reencrypted';
  /** AuditPage */
  AuditPage: {
    entries: Schemas['NamedAuditEntry'][];
    head: {
      position: number;
      hash: string;
    };
    pruned: {
      position: number;
      hash: string;
    };
  };
  /** AuthorCode */
  AuthorCode: {
    sha256: string;
    status: 'waiting' | 'approved' | 'refused';
    component_type: string | null;
    bytes: number | null;
    submitted_by: string | null;
    submitted_at: string | null;
    decided_by: string | null;
    decided_at: string | null;
  };
  /** AuthorCodeDecision */
  AuthorCodeDecision: {
    status: 'approved' | 'refused';
  };
  /** AuthorCodeList */
  AuthorCodeList: {
    author_code: Schemas['AuthorCode'][];
  };
  AuthorCodeText: Schemas['AuthorCode'] & {
    code: string | null;
  };
  /** Autoscale */
  Autoscale: {
    counted_at: string;
    age_seconds: number;
    target_runs: number;
    minimum_executors: number;
    maximum_executors: number;
    pools: {
      pool: string;
      desired_executors: number;
      arithmetic: string;
      waiting_runs: number;
      busy_runs: number;
      executors: number;
      slots: number;
      backlog: {
        waiting: number;
        published: number;
        running: number;
        interactive_messages: number;
        oldest_seconds: number | null;
      };
    }[];
  };
  /** Budget */
  Budget: {
    dollars_per_run: number | null;
    dollars_per_day: number | null;
    dollars_per_month: number | null;
    tokens_per_run: number | null;
    tokens_per_day: number | null;
    tokens_per_month: number | null;
    end_user_dollars_per_day?: number | null;
    end_user_dollars_per_month?: number | null;
    end_user_tokens_per_day?: number | null;
    end_user_tokens_per_month?: number | null;
    warn_at: number | null;
  };
  /** BudgetBody */
  BudgetBody: {
    dollars_per_run?: number | null;
    dollars_per_day?: number | null;
    dollars_per_month?: number | null;
    tokens_per_run?: number | null;
    tokens_per_day?: number | null;
    tokens_per_month?: number | null;
    warn_at?: number | null;
  };
  /** BulkRequest */
  BulkRequest: {
    action: 'cancel' | 'replay';
    filter: Schemas['RunFilter'];
    version?: 'same' | 'current' | null;
    dry_run?: boolean | null;
    token?: string | null;
  };
  /** Callback */
  Callback: {
    id: string;
    run_id: string | null;
    flow_id: string;
    kind: 'finished' | 'failed' | 'dead' | 'cancelled' | 'waiting' | 'budget' | 'alert';
    url: string;
    amqp: {
      connection: string;
      exchange: string;
      routing_key: string;
      is_reply: boolean;
    } | null;
    state: 'pending' | 'delivered' | 'dead';
    attempts: number;
    next_attempt_at: string | null;
    created_at: string;
    delivered_at: string | null;
    last_status: number | null;
    last_error: string | null;
  };
  CallbackLog: Schemas['Callback'] & {
    log: {
      number: number;
      at: string;
      milliseconds: number;
      status: number | null;
      error: string | null;
      answer: string | null;
    }[];
  };
  /** CallbackReplay */
  CallbackReplay: {
    callbacks: string[];
  };
  /** ChangedEdge */
  ChangedEdge: {
    source: string;
    output: string | null;
    target: string;
    input: string | null;
  };
  /** ChangedField */
  ChangedField: {
    name: string;
    change: 'added' | 'removed' | 'changed';
    before: unknown;
    after: unknown;
    secret: boolean;
    shortened: boolean;
    members: string[];
  };
  /** ChangedReplay */
  ChangedReplay: {
    input_value?: string | null;
    inputs?:
      | {
          /** @default [] */
          components?: string[] | null;
          input_value?: string | null;
          session?: string | null;
          /** @default any */
          type?: 'chat' | 'text' | 'any' | null;
          client_request_time?: number | boolean | string | null;
        }[]
      | null;
    tweaks?: {
      [key: string]: boolean | number | string | Record<string, unknown>;
    } | null;
    session_id?: string | null;
    files?: string[] | null;
    webhook_payload?: unknown;
  };
  /** ChatAnswer */
  ChatAnswer: {
    id: string;
    object: 'chat.completion';
    created: number;
    model: string;
    choices: {
      index: number;
      message: {
        role: 'assistant';
        content: string;
        refusal: null;
      };
      logprobs: null;
      finish_reason: 'stop';
    }[];
    usage?: {
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
    };
  };
  /** ChatRequest */
  ChatRequest: {
    model: string;
    messages: {
      role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';
      content?:
        | string
        | {
            type: string;
            text?: string;
          }[]
        | null;
    }[];
    stream?: boolean | null;
    stream_options?: {
      include_usage?: boolean | null;
    } | null;
    n?: number | null;
    tools?: unknown[] | null;
    functions?: unknown[] | null;
    session_id?: string | null;
  };
  /** CompactFlow */
  CompactFlow: {
    nodes: {
      id: string;
      type: string;
      values?: Record<string, unknown>;
      edited?: boolean | (0 | 1) | string;
      node?: Record<string, unknown> | null;
    }[];
    edges: {
      source: string;
      source_output: string;
      target: string;
      target_input: string;
    }[];
  };
  /** ConsoleSession */
  ConsoleSession: {
    session_id: string;
    user: {
      id: string;
      username: string;
      is_superuser: boolean;
    };
    scopes: ('run' | 'manage' | 'admin')[];
    /** Format: date-time */
    expires_at: string;
  };
  /** ConsoleSessionList */
  ConsoleSessionList: {
    sessions: {
      id: string;
      user_id: string;
      key_id: string;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      last_used_at: string;
      /** Format: date-time */
      expires_at: string;
      user_agent: string | null;
      client_address: string | null;
      current: boolean;
    }[];
  };
  /** ConversationList */
  ConversationList: {
    conversations: {
      flow_id: string;
      session_id: string;
      last_run: {
        id: string;
        status: Schemas['RunStatus'];
        accepted_at: string;
      };
      last_message: {
        sender: string;
        sender_name: string;
        text: string;
        timestamp: string;
      } | null;
    }[];
    next_cursor: string | null;
  };
  /** ConversationMessages */
  ConversationMessages: {
    messages: {
      id: string;
      run_id: string | null;
      timestamp: string;
      sender: string;
      sender_name: string;
      text: string;
      cut: boolean;
      error: boolean;
      files: string[];
      content_blocks: unknown[];
    }[];
    next_cursor: string | null;
  };
  /** CountedRuns */
  CountedRuns: {
    action: 'cancel' | 'replay';
    dry_run: true;
    count: number;
    complete: boolean;
    token: string | null;
  };
  /** CreatedApiKey */
  CreatedApiKey: {
    id: string;
    name: string | null;
    last_used_at: string | null;
    total_uses: number;
    is_active: boolean;
    expires_at: string | null;
    api_key: string;
    user_id: string;
    access?: 'read_only' | 'run_only';
    flows?: string[];
    projects?: string[];
    member?: boolean;
    addresses?: string[];
    end_users?: 'header' | 'token';
    scopes?: ('run' | 'manage' | 'admin')[];
  };
  CreatedUser: Schemas['User'] & {
    api_key: string;
  };
  /** EditedMessage */
  EditedMessage: {
    id: string;
    flow_id: string | null;
    timestamp: string;
    sender: string;
    sender_name: string;
    session_id: string;
    context_id: string | null;
    text: string;
    edit: boolean;
    properties: Record<string, unknown>;
    category: string;
    content_blocks: unknown[];
    session_metadata: unknown;
    files: string[];
    error: boolean;
    run_id: string | null;
  };
  /** EditorSession */
  EditorSession: {
    authenticated: false;
    user: null;
    store_api_key: null;
  };
  /** Erasure */
  Erasure: {
    sessions: number;
    messages: number;
    runs: number;
    runs_in_progress: number;
    complete: boolean;
  };
  /** ErasureRequest */
  ErasureRequest: {
    session_id?: string | null;
    end_user_id?: string | null;
  };
  /** ExportedFlow */
  ExportedFlow: {
    id: string;
    name: string;
    description: string | null;
    endpoint_name: string | null;
    is_component: boolean;
    mcp_enabled: boolean;
    action_name: unknown;
    action_description: unknown;
    data: Record<string, unknown> | null;
    webhook: boolean;
    icon: string | null;
    icon_bg_color: string | null;
    tags: string[] | null;
    locked: boolean;
    flow_type: unknown;
    a2a_enabled: unknown;
    a2a_card_overrides: unknown;
    workspace_id: null;
    name_key: null;
    version_token?: string;
  };
  Flow: Schemas['ExportedFlow'] & {
    access_type: unknown;
    gradient: string | null;
    updated_at: string;
    user_id: string;
    folder_id: string | null;
    version: number;
    settings: Record<string, unknown>;
    answered_by?: string[];
  };
  /** FlowChanges */
  FlowChanges: {
    name?: string | null;
    description?: string | null;
    data?:
      | null
      | Record<string, unknown>
      | {
          nodes: unknown[];
          edges: unknown;
        };
    folder_id?: string | null;
    workspace_id?: string | null;
    endpoint_name?: string | null;
    mcp_enabled?: boolean | (0 | 1) | string | null;
    locked?: boolean | (0 | 1) | string | null;
    action_name?: string | null;
    action_description?: string | null;
    access_type?: 'PRIVATE' | 'PUBLIC' | null;
    flow_type?: 'workflow' | 'agent' | null;
    a2a_enabled?: boolean | (0 | 1) | string | null;
    icon?: string | null;
    icon_bg_color?: string | null;
    gradient?: string | null;
    is_component?: boolean | (0 | 1) | string | null;
    webhook?: boolean | (0 | 1) | string | null;
    tags?: string[] | null;
    a2a_card_overrides?: Record<string, unknown> | null;
    id?: string | null;
    user_id?: string | null;
    fs_path?: string | null;
    /** @description Merged into the settings of the flow (RFC 7396): absent members stay, null removes one. */
    settings?: {
      pool?: string | null;
      durable?: boolean | null;
      webhookAuth?: 'required' | 'off' | null;
      webhook?: {
        deliveryIdHeader?: string | null;
        form?: 'text' | 'json' | null;
        pass?: ('headers' | 'query')[] | null;
        maximumWaitSeconds?: number | null;
        waitSeconds?: number | null;
        challenge?: {
          scheme?: 'meta' | 'microsoft-graph' | 'x' | null;
          secrets?: string[] | null;
        } | null;
        signature?: {
          scheme?: 'standard-webhooks' | 'github' | 'stripe' | 'slack' | 'hmac' | null;
          secrets?: string[] | null;
          header?: string | null;
          encoding?: 'hex' | 'base64' | null;
          toleranceSeconds?: number | null;
        } | null;
      } | null;
      unfinishedEffects?: 'retry' | 'fail' | null;
      editedCode?: 'refuse' | 'stock' | null;
      concurrency?: number | null;
      deadlineSeconds?: number | null;
      answeredBy?: string[] | null;
      callbacks?:
        | {
            amqp?: {
              connection: string;
              exchange: string;
              routingKey: string;
            };
            url?: string;
            secrets?: string[];
            on?: ('finished' | 'failed' | 'dead' | 'cancelled' | 'waiting' | 'budget' | 'alert')[];
            result?: 'include' | 'omit';
          }[]
        | null;
      alerts?:
        | {
            name: string;
            measure: 'failures' | 'latency' | 'waiting' | 'spend';
            threshold: number;
            windowMinutes: number;
            minimumRuns?: number;
          }[]
        | null;
      retry?: {
        attempts?: number | null;
        backoffSeconds?: number | null;
        maximumBackoffSeconds?: number | null;
        on?: ('component_failed' | 'deadline_exceeded' | 'internal' | 'python_busy')[] | null;
      } | null;
      cache?: {
        ttlSeconds?: number | null;
      } | null;
      sessions?: 'shared' | 'own' | null;
      retention?: {
        runs?: number | null;
        messages?: number | null;
        vertexRecords?: number | null;
        files?: number | null;
      } | null;
      records?:
        | {
            runs?: 'full' | 'lean' | 'none' | null;
            sampleRate?: number | null;
            values?: 'off' | 'failed' | 'all' | null;
            steps?: 'on' | 'off' | null;
          }
        | string
        | null;
    } | null;
  };
  /** FlowFile */
  FlowFile: {
    flowId: string;
    file_path: string;
  };
  /** FlowHeader */
  FlowHeader: {
    id: string;
    name: string;
    description: string | null;
    endpoint_name: string | null;
    is_component: boolean;
    mcp_enabled: boolean;
    action_name: unknown;
    action_description: unknown;
    access_type: unknown;
    folder_id: string | null;
    data: null;
    tags: string[] | null;
    flow_type: unknown;
    a2a_enabled: unknown;
    a2a_card_overrides: unknown;
    updated_at: string;
  };
  /** FlowPause */
  FlowPause: {
    reason?: string | null;
  };
  /** FlowPauseState */
  FlowPauseState: {
    id: string;
    paused: boolean;
    reason: string | null;
  };
  /** FlowReport */
  FlowReport: {
    runnable: boolean;
    verdict:
      | 'runnable'
      | 'approximated'
      | 'needs_credentials'
      | 'needs_approval'
      | 'needs_package'
      | 'needs_python'
      | 'refused';
    vertices: {
      id: string;
      type: string;
      status:
        | 'native'
        | 'upgraded'
        | 'approximated'
        | 'python'
        | 'needs_credentials'
        | 'needs_approval'
        | 'needs_package'
        | 'needs_python'
        | 'refused';
      reason: string | null;
      acceptable: boolean;
      sha256: string | null;
    }[];
    problems: {
      code: string;
      blocks: boolean;
      vertex_id: string | null;
      component_type: string | null;
      message: string;
    }[];
  };
  /** FlowStatistics */
  FlowStatistics: {
    hours: number;
    /** Format: date-time */
    measured_at: string;
    flows: {
      flow_id: string;
      total: number;
      succeeded: number;
      failed: number;
      cancelled: number;
      timed_out: number;
      dead: number;
      unfinished: number;
      accepted: number;
      queued: number;
      running: number;
      suspended: number;
      p50_milliseconds: number | null;
      p95_milliseconds: number | null;
      success_rate: number | null;
      last_run: {
        id: string;
        status: Schemas['RunStatus'];
        /** Format: date-time */
        accepted_at: string;
      };
    }[];
  };
  /** FlowVersion */
  FlowVersion: {
    id: string;
    version: number;
    created_at: string;
    active: boolean;
    restored_from: number | null;
    data: unknown;
  };
  /** FlowVersionDiff */
  FlowVersionDiff: {
    from: number;
    to: number;
    vertices: {
      added: {
        id: string;
        type: string;
        display_name: string;
      }[];
      removed: {
        id: string;
        type: string;
        display_name: string;
      }[];
      changed: {
        id: string;
        type: string;
        display_name: string;
        members: string[];
        fields: Schemas['ChangedField'][];
      }[];
    };
    edges: {
      added: Schemas['ChangedEdge'][];
      removed: Schemas['ChangedEdge'][];
    };
  };
  /** FlowVersionList */
  FlowVersionList: {
    versions: {
      id: string;
      version: number;
      created_at: string;
      active: boolean;
      restored_from: number | null;
    }[];
    next_cursor: string | null;
  };
  /** FlowVersionState */
  FlowVersionState: {
    version_token: string;
    last_modified_by: string;
    last_modified_by_username: string | null;
    updated_at: string;
  };
  /** Healthy */
  Healthy: {
    status: string;
    chat: string;
    db: string;
  };
  /** HumanOption */
  HumanOption: {
    action_id: string;
    label: string;
  };
  /** HumanRequest */
  HumanRequest: {
    request_id: string;
    kind: 'node_input' | 'tool_approval';
    prompt: string;
    options: Schemas['HumanOption'][];
    allowed_decisions: string[];
    action_requests?: Schemas['ToolCallRequest'][];
    timeout_seconds?: number;
    fallback_action?: string | null;
    paused_at?: string;
  };
  KeyBudgetBody: Schemas['BudgetBody'] & {
    end_user_dollars_per_day?: number | null;
    end_user_dollars_per_month?: number | null;
    end_user_tokens_per_day?: number | null;
    end_user_tokens_per_month?: number | null;
  };
  /** KeyChanges */
  KeyChanges: {
    name?: string | null;
    is_active?: boolean;
    expires_at?: string | number | null;
    access?: 'read_only' | 'run_only' | null;
    flows?: string[] | null;
    projects?: string[] | null;
    addresses?: string[] | null;
    end_users?: 'header' | 'token' | null;
  };
  /** KeyLimitsBody */
  KeyLimitsBody: {
    requests_per_second?: number | null;
    body_bytes_per_day?: number | null;
    file_bytes_per_day?: number | null;
    end_user_requests_per_second?: number | null;
    end_user_concurrent_runs?: number | null;
    budget?: Schemas['KeyBudgetBody'] | null;
  };
  /** KeyRotation */
  KeyRotation: {
    overlap_seconds?: number | null;
    expires_at?: string | number | null;
  };
  /** KnowledgeBase */
  KnowledgeBase: {
    id: string;
    dir_name: string;
    name: string;
    embedding_provider: string;
    embedding_model: string;
    size: number;
    words: number;
    characters: number;
    chunks: number;
    avg_chunk_size: number;
    chunk_size: number | null;
    chunk_overlap: number | null;
    separator: string | null;
    status: 'empty' | 'ready' | 'ingesting' | 'failed';
    failure_reason: string | null;
    last_job_id: string | null;
    source_types: string[];
    column_config: Record<string, unknown>[] | null;
    backend_type: string;
    backend_config: Record<string, unknown>;
    storage_state: string;
    storage_generation: number;
    active_migration_id: string | null;
  };
  /** KnowledgeBaseMetadata */
  KnowledgeBaseMetadata: {
    keys: {
      [key: string]: string[];
    };
    truncated: boolean;
  };
  /** KnowledgeBaseNames */
  KnowledgeBaseNames: {
    kb_names: string[];
  };
  /** KnowledgeBaseTask */
  KnowledgeBaseTask: {
    id: string;
    href: string;
  };
  /** KnowledgeBaseTextPage */
  KnowledgeBaseTextPage: {
    chunks: {
      id: string;
      content: string;
      char_count: number;
      metadata: Record<string, unknown>;
    }[];
    total: number;
    page: number;
    limit: number;
    total_pages: number;
  };
  /** KnowledgeBaseUpload */
  KnowledgeBaseUpload: {
    id: string;
    kb_name: string;
    kb_id: string;
    job_id: string;
    source_type: string;
    source_name: string | null;
    status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled';
    error_message: string | null;
    total_items: number;
    succeeded: number;
    failed: number;
    skipped: number;
    total_bytes: number;
    chunks_created: number;
    started_at: string;
    finished_at: string | null;
    user_metadata: Record<string, unknown>;
    source_config: Record<string, unknown>;
    items: {
      item_id: string;
      display_name: string;
      status: 'succeeded' | 'skipped';
      chunks_created: number;
      error_message: string | null;
    }[];
  };
  /** KnowledgeBaseUploadPage */
  KnowledgeBaseUploadPage: {
    runs: {
      id: string;
      kb_name: string;
      kb_id: string;
      job_id: string;
      source_type: string;
      source_name: string | null;
      status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled';
      error_message: string | null;
      total_items: number;
      succeeded: number;
      failed: number;
      skipped: number;
      total_bytes: number;
      chunks_created: number;
      started_at: string;
      finished_at: string | null;
      user_metadata: Record<string, unknown>;
    }[];
    total: number;
    page: number;
    limit: number;
    total_pages: number;
  };
  /** Limits */
  Limits: {
    requests_per_second: number | null;
    concurrent_runs: number | null;
    waiting_runs: number | null;
    weight: number | null;
    body_bytes_per_day: number | null;
    file_bytes_per_day: number | null;
    end_user_requests_per_second: number | null;
    end_user_concurrent_runs: number | null;
    budget: Schemas['Budget'] | null;
    spend: {
      day: Schemas['Spend'];
      month: Schemas['Spend'];
    } | null;
  };
  /** LimitsBody */
  LimitsBody: {
    requests_per_second?: number | null;
    concurrent_runs?: number | null;
    waiting_runs?: number | null;
    body_bytes_per_day?: number | null;
    file_bytes_per_day?: number | null;
    budget?: Schemas['BudgetBody'] | null;
  };
  ListedLimits: Schemas['Limits'] & {
    scope: 'key' | 'user' | 'project' | 'flow';
    id: string;
    name: string | null;
  };
  /** McpServer */
  McpServer: {
    command?: string | null;
    args?: string[] | null;
    env?: {
      [key: string]: string;
    } | null;
    headers?: {
      [key: string]: string;
    } | null;
    url?: string | null;
  };
  /** Member */
  Member: {
    user_id: string;
    username: string;
    role: 'viewer' | 'operator' | 'editor' | 'owner';
    payloads: boolean;
    created_at: string;
    issuer: string | null;
  };
  /** MemberBody */
  MemberBody: {
    role: 'viewer' | 'operator' | 'editor' | 'owner';
    payloads?: boolean;
  };
  /** Membership */
  Membership: {
    project_id: string;
    project_name: string;
    owner_id: string;
    owner_username: string;
    role: 'viewer' | 'operator' | 'editor' | 'owner';
    payloads: boolean;
    created_at: string;
    issuer: string | null;
  };
  /** Message */
  Message: {
    id: string;
    flow_id: string | null;
    timestamp: string;
    sender: string;
    sender_name: string;
    session_id: string;
    context_id: string | null;
    text: string;
    edit: boolean;
    properties: Record<string, unknown>;
    category: string;
    content_blocks: unknown[];
    session_metadata: unknown;
    files: string;
    duration: number | null;
  };
  /** MessageChanges */
  MessageChanges: {
    text?: string | null;
    sender?: string | null;
    sender_name?: string | null;
    session_id?: string | null;
    context_id?: string | null;
    files?: string[] | null;
    edit?: boolean | (0 | 1) | string | null;
    error?: boolean | (0 | 1) | string | null;
    properties?: Record<string, unknown> | null;
    session_metadata?: Record<string, unknown> | null;
    category?: string | null;
    content_blocks?: Record<string, unknown>[] | null;
  };
  /** Model */
  Model: {
    id: string;
    object: 'model';
    created: number;
    owned_by: string;
  };
  /** ModelList */
  ModelList: {
    object: 'list';
    data: Schemas['Model'][];
  };
  /** ModelUsage */
  ModelUsage: {
    provider: string;
    model: string;
    calls: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number | null;
    unpriced_calls: number;
  };
  /** NamedAuditEntry */
  NamedAuditEntry: {
    position: number;
    at: string;
    action: string;
    actor: 'key' | 'system' | 'unknown';
    user_id: string | null;
    key_id: string | null;
    request_id: string | null;
    client_address: string | null;
    forwarded_for: string | null;
    object_id: string | null;
    object_name: string | null;
    detail: Record<string, unknown>;
    previous_hash: string;
    hash: string;
    username: string | null;
    key_name: string | null;
  };
  NewApiKey: Schemas['KeyChanges'] & {
    last_used_at?: string | number | null;
    total_uses?: number;
    api_key?: string | null;
    user_id?: string | null;
    created_at?: unknown;
    scopes?: ('run' | 'manage' | 'admin')[] | null;
  };
  /** NewConsoleSession */
  NewConsoleSession: {
    api_key: string;
  };
  /** NewFlow */
  NewFlow: {
    name: string;
    description?: string | null;
    icon?: string | null;
    icon_bg_color?: string | null;
    gradient?: string | null;
    data?:
      | null
      | Record<string, unknown>
      | {
          nodes: unknown[];
          edges: unknown;
        };
    /** @default false */
    is_component?: boolean | (0 | 1) | string | null;
    /** @default false */
    webhook?: boolean | (0 | 1) | string | null;
    endpoint_name?: string | null;
    tags?: string[] | null;
    /** @default false */
    locked?: boolean | (0 | 1) | string | null;
    /** @default false */
    mcp_enabled?: boolean | (0 | 1) | string | null;
    action_name?: string | null;
    action_description?: string | null;
    /** @default PRIVATE */
    access_type?: 'PRIVATE' | 'PUBLIC';
    /** @default workflow */
    flow_type?: 'workflow' | 'agent';
    /** @default false */
    a2a_enabled?: boolean | (0 | 1) | string | null;
    a2a_card_overrides?: Record<string, unknown> | null;
    id?: string | null;
    user_id?: string | null;
    folder_id?: string | null;
    workspace_id?: string | null;
    fs_path?: string | null;
    settings?: {
      pool?: string;
      durable?: boolean;
      webhookAuth?: 'required' | 'off';
      webhook?: {
        deliveryIdHeader?: string;
        form?: 'text' | 'json';
        pass?: ('headers' | 'query')[];
        maximumWaitSeconds?: number;
        waitSeconds?: number;
        challenge?: {
          scheme: 'meta' | 'microsoft-graph' | 'x';
          secrets?: string[];
        };
        signature?: {
          scheme: 'standard-webhooks' | 'github' | 'stripe' | 'slack' | 'hmac';
          secrets: string[];
          header?: string;
          encoding?: 'hex' | 'base64';
          toleranceSeconds?: number;
        };
      };
      unfinishedEffects?: 'retry' | 'fail';
      editedCode?: 'refuse' | 'stock';
      concurrency?: number;
      deadlineSeconds?: number;
      answeredBy?: string[];
      callbacks?: {
        amqp?: {
          connection: string;
          exchange: string;
          routingKey: string;
        };
        url?: string;
        secrets?: string[];
        on?: ('finished' | 'failed' | 'dead' | 'cancelled' | 'waiting' | 'budget' | 'alert')[];
        result?: 'include' | 'omit';
      }[];
      alerts?: {
        name: string;
        measure: 'failures' | 'latency' | 'waiting' | 'spend';
        threshold: number;
        windowMinutes: number;
        minimumRuns?: number;
      }[];
      retry?: {
        attempts: number;
        backoffSeconds?: number;
        maximumBackoffSeconds?: number;
        on?: ('component_failed' | 'deadline_exceeded' | 'internal' | 'python_busy')[];
      };
      cache?: {
        ttlSeconds: number;
      };
      sessions?: 'shared' | 'own';
      retention?: {
        runs?: number;
        messages?: number;
        vertexRecords?: number;
        files?: number;
      };
      records?:
        | {
            runs?: 'full' | 'lean' | 'none';
            sampleRate?: number;
            values?: 'off' | 'failed' | 'all';
            steps?: 'on' | 'off';
          }
        | string;
    } | null;
  };
  /** NewFlows */
  NewFlows: {
    flows: Schemas['NewFlow'][];
  };
  /** NewKnowledgeBase */
  NewKnowledgeBase: {
    name: string;
    embedding_provider: string;
    embedding_model: string;
    model_selection?: Record<string, unknown> | Record<string, unknown>[] | null;
    column_config?:
      | {
          column_name: string;
          vectorize?: boolean | (0 | 1) | string;
          identifier?: boolean | (0 | 1) | string;
        }[]
      | null;
    backend_type?: string | null;
    backend_config?: Record<string, unknown>;
  };
  /** NewProject */
  NewProject: {
    name: string;
    description?: string | null;
    auth_settings?: Record<string, unknown> | null;
    components_list?: string[] | null;
    flows_list?: string[] | null;
  };
  /** NewTrigger */
  NewTrigger: {
    name: string;
    kind: string;
    provider?: string | null;
    node_id?: string | null;
    connection_id?: string | null;
    config?: Record<string, unknown>;
    /** @default flow */
    binding_target?: 'flow' | 'deployment';
    deployment_id?: string | null;
    flow_version_id?: string | null;
    /** @default per_event */
    session_policy?: 'per_event' | 'shared';
    /** @default 1 */
    concurrency_limit?: number;
    /** @default 5 */
    max_attempts?: number;
    flow_id: string;
    /** @default pending */
    state?: 'pending' | 'active' | 'paused' | 'expired' | 'needs_reconnect' | 'error' | 'dead';
  };
  /** NewUser */
  NewUser: {
    username: string;
    is_superuser?: boolean;
    password?: unknown;
    optins?: unknown;
  };
  /** NewVariable */
  NewVariable: {
    name: string;
    value: string;
    default_fields?: string[] | null;
    type?: string | null;
  };
  /** OpenHumanRequest */
  OpenHumanRequest: {
    links?: {
      form: string;
      actions: Record<string, unknown>;
      expires_at: string;
    };
    run_id: string;
    flow_id: string;
    session_id: string;
    due_at: string | null;
    may_answer: boolean;
    answered_by?: string[];
    request_id: string;
    kind: 'node_input' | 'tool_approval';
    prompt: string;
    options: Schemas['HumanOption'][];
    allowed_decisions: string[];
    action_requests?: Schemas['ToolCallRequest'][];
    timeout_seconds?: number;
    fallback_action?: string | null;
    paused_at: string;
  };
  /** OpenResponse */
  OpenResponse: {
    id: string;
    object: 'response';
    created_at: number;
    status: string;
    error: null;
    incomplete_details: null;
    instructions: null;
    max_output_tokens: null;
    model: string;
    output: (
      Schemas['OpenResponseMessage'] | Schemas['OpenResponseFunctionCall'] | Schemas['OpenResponseToolCall']
    )[];
    parallel_tool_calls: boolean;
    previous_response_id: string | null;
    reasoning: Record<string, unknown>;
    store: boolean;
    temperature: number;
    text: Record<string, unknown>;
    tool_choice: string;
    tools: unknown[];
    top_p: number;
    truncation: string;
    usage: Record<string, unknown> | null;
    user: null;
    metadata: Record<string, unknown>;
  };
  /** OpenResponseFailure */
  OpenResponseFailure: {
    error: {
      message: string;
      type: string;
      code?: string;
    };
  };
  /** OpenResponseFunctionCall */
  OpenResponseFunctionCall: {
    type: 'function_call';
    id: string;
    status: string;
    name: string;
    arguments: string;
    error?: string;
  };
  /** OpenResponseMessage */
  OpenResponseMessage: {
    type: 'message';
    id: string;
    status: string;
    role: 'assistant';
    content: {
      type: 'output_text';
      text: string;
      annotations: unknown[];
    }[];
  };
  /** OpenResponseRequest */
  OpenResponseRequest: {
    model: string;
    input: string;
    /** @default false */
    stream?: boolean | (0 | 1) | string;
    /** @default false */
    background?: boolean | (0 | 1) | string;
    tools?: unknown[] | null;
    previous_response_id?: string | null;
    include?: string[] | null;
  };
  /** OpenResponseToolCall */
  OpenResponseToolCall: {
    type: 'tool_call';
    id: string;
    status: string;
    queries: unknown[];
    tool_name: string;
    results: unknown;
    error?: string;
  };
  /** PendingHumanRequest */
  PendingHumanRequest: {
    job_id: string;
    flow_id: string;
    session_id: string | null;
    created_at: string;
    request_id: string;
    kind: 'node_input' | 'tool_approval';
    prompt: string;
    options: Schemas['HumanOption'][];
    allowed_decisions: string[];
  };
  /** Project */
  Project: {
    name: string;
    description: string | null;
    auth_settings: Record<string, unknown> | null;
    id: string;
    parent_id: string | null;
  };
  ProjectAndFlows: Schemas['Project'] & {
    flows: Schemas['Flow'][];
  };
  /** ProjectChanges */
  ProjectChanges: {
    name?: string | null;
    description?: string | null;
    parent_id?: string | null;
    components?: string[];
    flows?: string[];
    auth_settings?: Record<string, unknown> | null;
  };
  /** ProjectFlowPage */
  ProjectFlowPage: {
    folder: Schemas['Project'];
    flows: {
      items: Schemas['Flow'][];
      total: number;
      page: number;
      size: number;
      pages: number;
    };
  };
  ProjectLimitsBody: Schemas['LimitsBody'] & {
    weight?: number | null;
  };
  /** ProjectWithFlows */
  ProjectWithFlows: Schemas['ProjectAndFlows'] | Schemas['ProjectFlowPage'];
  /** ReachedRuns */
  ReachedRuns: {
    action: 'cancel' | 'replay';
    dry_run: false;
    count: number;
    runs: {
      id: string;
      replayed_as: string | null;
    }[];
    token: string | null;
  };
  /** Readiness */
  Readiness: {
    ready: boolean;
    checks: Record<string, unknown>;
  };
  /** RefusedDeliveryList */
  RefusedDeliveryList: {
    refused: {
      id: string;
      refused_at: string;
      count: number;
      code: string;
      status: number;
      reason: string;
      request_id: string | null;
      client_address: string | null;
    }[];
  };
  /** ReplayRequest */
  ReplayRequest: {
    runs: string[];
    version?: 'same' | 'current' | null;
  };
  /** ReplayedCallbacks */
  ReplayedCallbacks: {
    replayed: string[];
  };
  /** Replays */
  Replays: {
    runs: {
      id: string;
      replayed_as: string | null;
    }[];
  };
  /** ResultData */
  ResultData: {
    results: Record<string, unknown>;
    artifacts: Record<string, unknown>;
    outputs: {
      [key: string]: {
        message: unknown;
        type: string;
      };
    };
    logs: {
      [key: string]: unknown[];
    };
    messages: Record<string, unknown>[];
    timedelta: number | null;
    duration: string | null;
    component_display_name: string;
    component_id: string;
    used_frozen_result: boolean;
    token_usage: {
      input_tokens: number | null;
      output_tokens: number | null;
      total_tokens: number | null;
    } | null;
  };
  /** RotatedApiKey */
  RotatedApiKey: {
    id: string;
    name: string | null;
    last_used_at: string | null;
    total_uses: number;
    is_active: boolean;
    expires_at: string | null;
    api_key: string;
    user_id: string;
    access?: 'read_only' | 'run_only';
    flows?: string[];
    projects?: string[];
    member?: boolean;
    addresses?: string[];
    end_users?: 'header' | 'token';
    scopes: ('run' | 'manage' | 'admin')[];
    replaces: {
      id: string;
      expires_at: string | null;
    };
  };
  Run: Schemas['RunSummary'] & {
    worker?: string | null;
    trace_url?: string | null;
    result: unknown;
  };
  /** RunAgentInput */
  RunAgentInput: {
    threadId: string;
    runId: string;
    messages: {
      id?: string;
      role: string;
      content?: unknown;
    }[];
    tools?: unknown;
    context?: unknown;
    state?: unknown;
    forwardedProps?: unknown;
    resume?: {
      interruptId: string;
      status: 'resolved' | 'cancelled';
      payload?: unknown;
    }[];
  };
  /** RunAnswer */
  RunAnswer: {
    session_id: string;
    outputs: {
      inputs: {
        input_value?: string;
      };
      outputs: Schemas['ResultData'][];
    }[];
  };
  /** RunAttempts */
  RunAttempts: {
    run_id: string;
    attempts: {
      attempt: number;
      worker: string | null;
      started_at: string | null;
      ended_at: string | null;
      outcome:
        | 'running'
        | 'succeeded'
        | 'failed'
        | 'cancelled'
        | 'timed_out'
        | 'given_back'
        | 'handed_off'
        | 'executor_lost'
        | 'redelivered'
        | 'suspended';
      error: Record<string, unknown> | null;
    }[];
    log: Schemas['RunLogLine'][];
  };
  /** RunFilter */
  RunFilter: {
    flow_id?: string | null;
    project_id?: string | null;
    flow_version?: number | null;
    status?:
      | (
          | 'accepted'
          | 'queued'
          | 'running'
          | 'suspended'
          | 'succeeded'
          | 'failed'
          | 'cancelled'
          | 'timed_out'
          | 'dead'
        )[]
      | null;
    origin?: 'run' | 'webhook' | 'advanced' | null;
    pool?: string | null;
    session_id?: string | null;
    error_code?: string | null;
    vertex_id?: string | null;
    model?: string | null;
    key_id?: string | null;
    accepted_from?: string | number | null;
    accepted_before?: string | number | null;
    user_id?: string | null;
    all_users?: boolean | null;
  };
  /** RunHistory */
  RunHistory: {
    /** Format: date-time */
    from: string;
    /** Format: date-time */
    to: string;
    interval_seconds: number;
    /** Format: date-time */
    measured_at: string;
    unrecorded_runs: number;
    points: {
      /** Format: date-time */
      start: string;
      total: number;
      succeeded: number;
      failed: number;
      cancelled: number;
      timed_out: number;
      dead: number;
      unfinished: number;
      accepted: number;
      queued: number;
      running: number;
      suspended: number;
      p50_milliseconds: number | null;
      p95_milliseconds: number | null;
    }[];
  };
  /** RunList */
  RunList: {
    runs: Schemas['RunSummary'][];
    next_cursor: string | null;
    unrecorded_runs: number;
  };
  /** RunLogLine */
  RunLogLine: {
    at: string;
    level: 'warn' | 'error';
    attempt: number | null;
    message: string;
    fields: Record<string, unknown>;
  };
  /** RunRequest */
  RunRequest: {
    input_value?: string | null;
    input_type?: 'chat' | 'text' | 'any' | null;
    output_type?: 'chat' | 'text' | 'any' | 'debug' | null;
    output_component?: string | null;
    tweaks?: {
      [key: string]: boolean | number | string | Record<string, unknown>;
    } | null;
    session_id?: string | null;
    user_id?: string | null;
  };
  /** RunRequestRecord */
  RunRequestRecord: {
    run_id: string;
    form: 'simple' | 'advanced' | 'webhook';
    inputs: {
      components: string[];
      input_value: string;
      type: string;
    }[];
    outputs: Record<string, unknown>;
    tweaks: Record<string, unknown>;
    stream: boolean;
    session_id: string;
    global_variables: string[];
    files: string[];
    webhook_payload: string | null;
  };
  /** RunStatus */
  RunStatus:
    | 'accepted'
    | 'queued'
    | 'running'
    | 'suspended'
    | 'succeeded'
    | 'failed'
    | 'cancelled'
    | 'timed_out'
    | 'dead';
  /** RunSummary */
  RunSummary: {
    id: string;
    user_id?: string;
    flow_id: string;
    flow_version?: number;
    session_id?: string;
    status: Schemas['RunStatus'];
    attempt: number;
    origin?: string;
    lane: 'interactive' | 'background';
    pool: string;
    accepted_at: string;
    queued_at?: string | null;
    started_at?: string | null;
    finished_at: string | null;
    retries?: number;
    replay_of?: string | null;
    usage: Schemas['RunUsage'] | null;
    error: Record<string, unknown> | null;
    username?: string;
    flow_name?: string;
    trigger?: {
      id: string;
      name: string;
      kind: 'inbound_webhook' | 'schedule' | 'rabbitmq';
    } | null;
  };
  /** RunTrace */
  RunTrace: {
    run_id: string;
    flow_id: string;
    session_id: string;
    status: string;
    attempt: number;
    reason: 'failed' | 'sampled' | 'running';
    started_at: string;
    milliseconds: number;
    usage: Schemas['RunUsage'] | null;
    vertices: {
      id: string;
      name: string;
      type: string;
      flow_id: string;
      state: 'succeeded' | 'failed' | 'unfinished' | 'running';
      executions: number;
      start_milliseconds: number;
      end_milliseconds: number;
      milliseconds: number;
      longest_milliseconds: number;
      input_bytes: number | null;
      output_bytes: number | null;
      tool_calls: number;
      models: Schemas['ModelUsage'][];
      calls: {
        kind: 'model' | 'tool';
        name: string;
        provider: string | null;
        state: 'succeeded' | 'failed' | 'unfinished' | 'running';
        start_milliseconds: number;
        end_milliseconds: number;
        input_tokens: number | null;
        output_tokens: number | null;
        cost_usd: number | null;
        error: string | null;
        earlier_messages: number;
        messages:
          | {
              role: 'system' | 'user' | 'assistant' | 'tool';
              content: string;
              tool_calls: {
                name: string;
                arguments: string;
              }[];
            }[]
          | null;
        answer: {
          role: 'system' | 'user' | 'assistant' | 'tool';
          content: string;
          tool_calls: {
            name: string;
            arguments: string;
          }[];
        } | null;
        arguments: unknown;
        result: string | null;
      }[];
      error: string | null;
      inputs: Record<string, unknown> | null;
      outputs: Record<string, unknown> | null;
    }[];
    omitted_executions: number;
  };
  /** RunUsage */
  RunUsage: {
    model_calls: number;
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
    cost_usd: number | null;
    unpriced_calls: number;
    models: Schemas['ModelUsage'][];
  };
  /** Schedule */
  Schedule: {
    id: string;
    flow_id: string;
    user_id: string;
    name: string;
    kind: 'inbound_webhook' | 'schedule' | 'rabbitmq';
    provider: null;
    node_id: string | null;
    connection_id: null;
    config: Record<string, unknown>;
    state: 'pending' | 'active' | 'paused';
    binding_target: 'flow';
    deployment_id: null;
    flow_version_id: string | null;
    session_policy: 'per_event' | 'shared';
    concurrency_limit: number;
    max_attempts: number;
    next_fire_at: string | null;
    last_fired_at: string | null;
    last_error: string | null;
    created_at: string;
    updated_at: string;
    next_times: string[];
  };
  /** SchedulePreview */
  SchedulePreview: {
    config: Record<string, unknown>;
    next_times: string[];
  };
  /** SchedulePreviewRequest */
  SchedulePreviewRequest: {
    config: Record<string, unknown>;
  };
  /** Server */
  Server: {
    name: string;
    version: string;
    health: string;
    readiness: string;
    documentation: string;
    openapi: string;
  };
  /** SignOnIssuers */
  SignOnIssuers: {
    issuers: {
      name: string;
      issuer: string;
      console_path: string | null;
      cli_client_id: string | null;
      scope: string;
    }[];
  };
  /** SigningSecret */
  SigningSecret: {
    trigger_id: string;
    public_id: string | null;
    ingress_url: string | null;
    has_signing_secret: boolean;
    signing_secret: string;
  };
  /** Spend */
  Spend: {
    /** Format: date-time */
    start: string;
    dollars: number;
    tokens: number;
    reserved_dollars: number;
    reserved_tokens: number;
    dollars_left: number | null;
    tokens_left: number | null;
  };
  /** StartedRun */
  StartedRun: {
    message: string;
    status: string;
    run_id: string;
  };
  StoredFlow: Schemas['ExportedFlow'] & {
    access_type: unknown;
    gradient: string | null;
    updated_at: string;
    user_id: string;
    folder_id: string | null;
    version: number;
    settings: Record<string, unknown>;
    report: Schemas['FlowReport'];
  };
  /** SystemHealth */
  SystemHealth: {
    version: string;
    instance: string;
    ready: boolean;
    /** Format: date-time */
    checked_at: string;
    checks: {
      name: string;
      ok: boolean;
      milliseconds: number;
      error: string | null;
      details: unknown;
    }[];
  };
  /** SystemSettings */
  SystemSettings: {
    settings: {
      name: string;
      value: unknown;
      default: boolean;
      secret: boolean;
      description: string;
    }[];
  };
  /** TestSignature */
  TestSignature: {
    scheme: string;
    headers: {
      [key: string]: string;
    };
  };
  /** TestSignatureBody */
  TestSignatureBody: {
    body: string;
  };
  /** ToolCallRequest */
  ToolCallRequest: {
    name: string;
    args: Record<string, unknown>;
    description: string;
  };
  /** Trace */
  Trace: {
    id: string;
    name: string;
    status: 'unset' | 'ok' | 'error';
    startTime: string;
    totalLatencyMs: number;
    totalTokens: number;
    flowId: string;
    sessionId: string;
    input: Record<string, unknown> | null;
    output: Record<string, unknown> | null;
    endTime: string;
    spans: {
      id: string;
      name: string;
      type: 'agent' | 'embedding' | 'llm' | 'chain';
      status: 'unset' | 'ok' | 'error';
      startTime: string;
      endTime: string;
      latencyMs: number;
      inputs: Record<string, unknown> | null;
      outputs: Record<string, unknown> | null;
      error: string | null;
      modelName: string | null;
      tokenUsage: {
        promptTokens: number;
        completionTokens: number;
        totalTokens: number;
      };
      children: unknown[];
    }[];
  };
  /** TracePage */
  TracePage: {
    traces: {
      id: string;
      name: string;
      status: 'unset' | 'ok' | 'error';
      startTime: string;
      totalLatencyMs: number;
      totalTokens: number;
      flowId: string;
      sessionId: string;
      input: Record<string, unknown> | null;
      output: Record<string, unknown> | null;
    }[];
    total: number;
    pages: number;
  };
  /** TransactionPage */
  TransactionPage: {
    items: {
      id: string;
      timestamp: string;
      vertex_id: string;
      target_id: null;
      inputs: Record<string, unknown>;
      outputs: Record<string, unknown>;
      status: 'success' | 'error';
    }[];
    total: number;
    page: number;
    size: number;
    pages: number;
  };
  /** Trigger */
  Trigger: {
    id: string;
    flow_id: string;
    user_id: string;
    name: string;
    kind: 'inbound_webhook' | 'schedule' | 'rabbitmq';
    provider: null;
    node_id: string | null;
    connection_id: null;
    config: Record<string, unknown>;
    state: 'pending' | 'active' | 'paused';
    binding_target: 'flow';
    deployment_id: null;
    flow_version_id: string | null;
    session_policy: 'per_event' | 'shared';
    concurrency_limit: number;
    max_attempts: number;
    next_fire_at: string | null;
    last_fired_at: string | null;
    last_error: string | null;
    created_at: string;
    updated_at: string;
    source?: {
      state: 'stopped' | 'waiting' | 'connecting' | 'consuming' | 'backlog_full' | 'failing';
      since: string | null;
      last_error: string | null;
      last_error_at: string | null;
    };
  };
  /** TriggerChanges */
  TriggerChanges: {
    name?: string;
    connection_id?: string | null;
    config?: Record<string, unknown>;
    binding_target?: 'flow' | 'deployment';
    deployment_id?: string | null;
    flow_version_id?: string | null;
    session_policy?: 'per_event' | 'shared';
    concurrency_limit?: number;
    max_attempts?: number;
  };
  /** TriggerEvent */
  TriggerEvent: {
    id: string;
    trigger_id: string;
    dedupe_key: string;
    state: 'pending' | 'claimed' | 'dispatched' | 'completed' | 'failed' | 'dead';
    attempt: number;
    available_at: string;
    payload: Record<string, unknown>;
    session_id: string | null;
    job_id: string | null;
    replay_of_event_id: string | null;
    error: string | null;
    created_at: string;
    updated_at: string;
  };
  /** TriggerIngress */
  TriggerIngress: {
    trigger_id: string;
    public_id: string | null;
    ingress_url: string | null;
    has_signing_secret: boolean;
  };
  /** TriggerPin */
  TriggerPin: {
    flow_version_id: string | null;
  };
  /** TriggerReplay */
  TriggerReplay: {
    event_id: string;
  };
  /** TriggerTest */
  TriggerTest: {
    payload?: Record<string, unknown>;
  };
  /** UsageReport */
  UsageReport: {
    from: string;
    before: string;
    complete: boolean;
    rows: {
      start: string | null;
      user_id: string | null;
      username: string | null;
      project_id: string | null;
      project_name: string | null;
      flow_id: string | null;
      flow_name: string | null;
      key_id: string | null;
      key_name: string | null;
      pool: string | null;
      provider: string | null;
      model: string | null;
      runs: number;
      failures: number;
      model_calls: number;
      input_tokens: number;
      output_tokens: number;
      cost_usd: number;
      unpriced_calls: number;
      waiting_milliseconds: number;
      running_milliseconds: number;
    }[];
  };
  /** User */
  User: {
    id: string;
    username: string;
    profile_image: string | null;
    store_api_key: null;
    is_active: boolean;
    is_superuser: boolean;
    create_at: string;
    updated_at: string;
    last_login_at: null;
    optins: Record<string, unknown>;
  };
  /** UserChanges */
  UserChanges: {
    username?: string | null;
    profile_image?: string | null;
    password?: string | null;
    is_active?: boolean | (0 | 1) | string | null;
    is_superuser?: boolean | (0 | 1) | string | null;
    last_login_at?: string | number | null;
    optins?: Record<string, unknown> | null;
  };
  /** UserDeletion */
  UserDeletion: {
    detail: string;
    request_id: string;
  };
  /** UserFile */
  UserFile: {
    id: string;
    name: string;
    path: string;
    size: number;
    provider: string | null;
  };
  /** UserPage */
  UserPage: {
    total_count: number;
    users: Schemas['User'][];
    deletion_requests: Record<string, unknown>;
  };
  /** Variable */
  Variable: {
    id: string;
    name: string;
    type: string | null;
    value: string | null;
    default_fields: string[];
    has_value?: boolean;
    is_owner?: boolean;
    can_manage_shares?: boolean;
    validation_error: string | null;
    is_valid: boolean | null;
  };
  /** VariableChanges */
  VariableChanges: {
    id?: string | null;
    name?: string | null;
    value?: string | null;
    default_fields?: string[] | null;
    type?: string | null;
  };
  /** VariableDigests */
  VariableDigests: {
    nonce: string;
    variables: {
      name: string;
      digest: string;
    }[];
  };
  /** Version */
  Version: {
    version: string;
    main_version: string;
    package: string;
    millrace_version: string;
  };
  /** VertexBuilds */
  VertexBuilds: {
    vertex_builds: {
      [key: string]: {
        timestamp: string;
        id: string;
        data: Record<string, unknown>;
        artifacts: Record<string, unknown>;
        params: string | null;
        valid: boolean;
        flow_id: string;
        job_id: string;
        build_id: string;
      }[];
    };
  };
  /** WaitingReason */
  WaitingReason: {
    reason:
      | 'person'
      | 'flow_paused'
      | 'next_attempt'
      | 'no_executor'
      | 'flow_limit'
      | 'trigger_limit'
      | 'user_share'
      | 'executors_busy'
      | 'delivery'
      | 'callback';
    text: string;
    at: string | null;
    limit: number | null;
    place: number | null;
    attempt: number | null;
    attempts: number | null;
  };
  /** WaitingRun */
  WaitingRun: {
    run_id: string;
    status: Schemas['RunStatus'];
    waiting: Schemas['WaitingReason'] | null;
  };
  /** WaitingRuns */
  WaitingRuns: {
    runs: Schemas['WaitingRun'][];
  };
  /** Workers */
  Workers: {
    /** Format: date-time */
    measured_at: string;
    workers:
      | {
          id: string;
          pool: string;
          slots: number;
          busy: number;
          version: string;
          /** Format: date-time */
          seen_at: string;
          connected: boolean;
          python: {
            python: string;
            lfx: string;
            package_set: string;
            seal: string;
          } | null;
        }[]
      | null;
    /** Format: date-time */
    counted_at: string | null;
    pools: {
      pool: string;
      executors: number;
      slots: number;
      busy_runs: number;
      waiting_runs: number;
      backlog: {
        waiting: number;
        published: number;
        running: number;
        interactive_messages: number;
        oldest_seconds: number | null;
      };
    }[];
    quarantine_messages: number | null;
    dead_letter_messages: number | null;
  };
  /** WorkflowFault */
  WorkflowFault: {
    error: string;
    code: string;
    details?: {
      flow_id: string;
      error_type: string;
    };
  };
  /** WorkflowJob */
  WorkflowJob: {
    job_id: string;
    flow_id: string;
    object: 'job';
    created_timestamp: string;
    status: 'queued' | 'in_progress' | 'suspended' | 'cancelled';
    links: {
      status: string;
      events: string;
      stop: string;
    };
    errors: Schemas['WorkflowFault'][];
    globals: Record<string, unknown>;
  };
  /** WorkflowRequest */
  WorkflowRequest: {
    flow_id: string;
    /** @default  */
    input_value?: string;
    tweaks?: Record<string, unknown>;
    session_id?: string | null;
    /** @default sync */
    mode?: 'sync' | 'stream' | 'background';
    /** @default langflow */
    stream_protocol?: 'langflow' | 'agui';
    expose_graph_state?: boolean | null;
    data?: Record<string, unknown> | null;
    files?: string[] | null;
    start_component_id?: string | null;
    stop_component_id?: string | null;
    output_ids?: string[] | null;
    globals?: {
      [key: string]: string;
    };
    idempotency_key?: string | null;
  };
  /** WorkflowResponse */
  WorkflowResponse: {
    flow_id: string;
    session_id: string | null;
    job_id: string;
    object: 'response';
    created_timestamp: string;
    status: 'completed' | 'failed' | 'cancelled' | 'suspended';
    output: {
      reason: 'single' | 'multiple' | 'none' | 'non_string' | 'failed';
      text: string | null;
      source: string | null;
    };
    errors: Schemas['WorkflowFault'][];
    warnings?: unknown[];
    inputs: Record<string, unknown>;
    globals: Record<string, unknown>;
    outputs: {
      [key: string]: {
        type: string;
        status: string;
        display_name: string;
        content: unknown;
        metadata: {
          component_type: string;
          source?: Record<string, unknown>;
          file_path?: string;
        };
      };
    };
    human_request: Schemas['HumanRequest'] | null;
    has_errors: boolean;
  };
  /** WorkflowResume */
  WorkflowResume: {
    request_id: string;
    decision?: {
      action_id?: unknown;
      values?: unknown;
      calls?: unknown;
    } | null;
  };
  /** WorkflowResumed */
  WorkflowResumed: {
    job_id: string;
    status: 'resuming';
    message: string;
  };
  /** WorkflowStop */
  WorkflowStop: {
    job_id: string;
  };
  /** WorkflowStopped */
  WorkflowStopped: {
    job_id: string;
    message: string;
  };
}
