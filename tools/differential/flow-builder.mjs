import { changeFields, exampleText, FIXED } from './field-values.mjs';

/** @import { Random } from '../../chaos/random.mjs' */
/** @import { Field, Flow, FlowEdge, FlowNode, Json, Output, Template } from './case.ts' */
/** @import { Catalog, Example, Source } from './read-catalog.mjs' */

const MAXIMUM_VERTICES = 6;
const records = [
  { name: 'Ann', n: 3, text: 'a b c' },
  [
    { text: 'one', n: 1 },
    { text: 'two', n: 2 },
  ],
];
/** The types of edges that any local component can take part in. */
const VALUES = ['Message', 'JSON', 'Table'];
const MODEL = [
  {
    name: 'gpt-4o-mini',
    provider: 'OpenAI',
    icon: 'OpenAI',
    metadata: {
      context_length: 128000,
      model_class: 'ChatOpenAI',
      model_name_param: 'model',
      api_key_param: 'api_key',
    },
  },
];
const EMBEDDING_MODEL = [
  {
    name: 'text-embedding-3-small',
    provider: 'OpenAI',
    icon: 'OpenAI',
    metadata: {
      embedding_class: 'OpenAIEmbeddings',
      param_mapping: { model: 'model', api_key: 'api_key', api_base: 'base_url', dimensions: 'dimensions' },
    },
  },
];

/** @typedef {{ readonly node: FlowNode, readonly output: Output }} End An output of a vertex. */

/** Makes the vertices and edges of a generated flow. */
export class FlowBuilder {
  /** @type {FlowNode[]} */
  nodes = [];
  /** @type {FlowEdge[]} */
  edges = [];
  #random;
  #catalog;

  /**
   * @param {Random} random
   * @param {Catalog} catalog
   */
  constructor(random, catalog) {
    this.#random = random;
    this.#catalog = catalog;
  }

  /**
   * Adds a vertex with values, and vertices for the inputs that need an edge.
   * @param {string} type
   * @returns {FlowNode}
   */
  add(type) {
    const examples = this.#catalog.examples[type];
    const usesExample = examples.length > 0 && this.#random.chance(0.95);
    const example = usesExample ? this.#random.pick(examples) : { fields: {}, wires: {} };
    const node = this.#place(type, example.fields);
    for (const [name, field] of Object.entries(node.data.node.template)) {
      if (typeof field === 'string') continue;
      const wire = example.wires[name];
      if (wire === undefined && !this.#needsEdge(name, field, example)) continue;
      const source = wire === undefined ? this.#sourceFor(field.input_types ?? []) : this.#sourceOf(wire);
      if (source !== null && accepts(field, source.output)) this.connect(source, node, name);
    }
    return node;
  }

  /**
   * @param {string} tool
   * @param {string} type of the agent
   */
  addAgent(tool, type) {
    const agent = this.add(type);
    this.#replaceEdge(this.#offer(tool), agent, 'tools');
    return agent;
  }

  /**
   * @param {readonly string[]} choices
   * @param {boolean} hasFallback
   */
  addQuestion(choices, hasFallback) {
    const names = [...choices, ...(hasFallback ? ['Fallback'] : [])].map((label) => ({
      name: `branch_${label.toLowerCase().replaceAll(' ', '_')}`,
      display_name: label,
      types: ['Message'],
      method: 'route_branch',
      group_outputs: true,
    }));
    const node = this.#place('HumanInput', {
      decisions: choices,
      enable_fallback: hasFallback,
      $outputs: /** @type {any} */ (names),
    });
    this.connect(this.#endOf(this.#place('ChatInput', {})), node, 'prompt');
    for (const output of node.data.node.outputs)
      this.connect({ node, output }, this.#place('ChatOutput', {}), 'input_value');
  }

  /**
   * Connects an output of a vertex to a Chat Output, by way of another vertex where it does not take that type.
   * @param {FlowNode} node
   * @returns {void}
   */
  finishFrom(node) {
    const { outputs } = node.data.node;
    if (node.data.type === 'ChatOutput') return;
    const shown = outputs.filter(({ types }) =>
      types.some((type) => [...VALUES, 'Data', 'DataFrame'].includes(type)),
    );
    if (shown.length > 0) return this.#finishSome(node, shown);
    for (const output of outputs)
      for (const type of this.#random.shuffled(this.#catalog.local)) {
        const taker = Object.entries(this.#catalog.templates[type].template).find(([, field]) =>
          accepts(field, output),
        );
        if (taker === undefined || this.nodes.length >= MAXIMUM_VERTICES - 1) continue;
        const next = this.add(type);
        this.#replaceEdge({ node, output }, next, taker[0]);
        return this.finishFrom(next);
      }
  }

  /**
   * Connects an output, or two: a router stops one of them.
   * @param {FlowNode} node
   * @param {readonly Output[]} outputs
   */
  #finishSome(node, outputs) {
    const [first, second] = this.#random.shuffled(outputs);
    this.finish({ node, output: first });
    if (second !== undefined && this.nodes.length < MAXIMUM_VERTICES && this.#random.chance(0.6))
      this.connect({ node, output: second }, this.#place('ChatOutput', {}), 'input_value');
  }

  /**
   * @param {End} end
   * @returns {void}
   */
  finish(end) {
    if (this.nodes.length < MAXIMUM_VERTICES - 1 && this.#random.chance(0.2)) {
      const type = this.#random.pick(['TypeConverterComponent', 'ParserComponent']);
      if (accepts(this.#catalog.templates[type].template.input_data, end.output)) {
        const next = this.#place(type, this.#random.pick(this.#catalog.examples[type])?.fields ?? {});
        this.connect(end, next, 'input_data');
        return this.finishFrom(next);
      }
    }
    this.connect(end, this.#place('ChatOutput', {}), 'input_value');
  }

  freezeOne() {
    const chosen = this.#random.pick(this.nodes);
    this.nodes = this.nodes.map((node) =>
      node === chosen ? { ...node, data: { ...node.data, node: { ...node.data.node, frozen: true } } } : node,
    );
  }

  /**
   * Connects in place of the edges that the field has.
   * @param {End} source
   * @param {FlowNode} target
   * @param {string} name of the field
   */
  #replaceEdge(source, target, name) {
    this.edges = this.edges.filter(
      (edge) => edge.target !== target.id || edge.data.targetHandle.fieldName !== name,
    );
    this.connect(source, target, name);
  }

  /**
   * @param {End} source
   * @param {FlowNode} target
   * @param {string} name of the field
   */
  connect({ node, output }, target, name) {
    const field = /** @type {Field} */ (
      target.data.node.template[name] ?? { type: 'str', input_types: ['Message'] }
    );
    const from = { dataType: node.data.type, id: node.id, name: output.name, output_types: output.types };
    const to = {
      fieldName: name,
      id: target.id,
      inputTypes: field.input_types ?? null,
      type: field.type ?? 'str',
    };
    const handles = [from, to].map((handle) => JSON.stringify(handle).replaceAll('"', 'œ'));
    this.edges.push({
      id: `reactflow__edge-${node.id}${handles[0]}-${target.id}${handles[1]}`,
      source: node.id,
      target: target.id,
      sourceHandle: handles[0],
      targetHandle: handles[1],
      data: { sourceHandle: from, targetHandle: to },
    });
  }

  /**
   * @param {string} type
   * @param {Readonly<Record<string, Json | undefined>>} values
   * @returns {FlowNode}
   */
  #place(type, values) {
    const { $outputs: outputs, ...given } = values;
    const stock = this.#catalog.templates[type];
    const template = outputs === undefined ? stock : { ...stock, outputs: /** @type {any} */ (outputs) };
    const fields = changeFields(this.#random, template.template, this.#withModel(template, given));
    const id = `${type}-${this.#suffix()}`;
    /** @type {FlowNode} */
    const node = {
      id,
      type: 'genericNode',
      position: { x: 300 * this.nodes.length, y: 0 },
      data: { id, type, node: { ...template, template: fields } },
    };
    this.nodes.push(node);
    return node;
  }

  /**
   * @param {Template} template
   * @param {Readonly<Record<string, Json | undefined>>} values
   */
  #withModel({ template }, values) {
    const model = /** @type {Field | undefined} */ (template.model);
    if (model?._input_type !== 'ModelInput')
      return 'api_key' in template ? { api_key: 'sk-{{play}}', ...values } : values;
    const chosen = model.input_types?.includes('Embeddings') ? EMBEDDING_MODEL : MODEL;
    return { model: chosen, api_key: 'sk-{{play}}', ...values };
  }

  /**
   * @param {string} name
   * @param {Field} field
   * @param {Example} example
   */
  #needsEdge(name, field, { fields }) {
    const types = field.input_types ?? [];
    if (types.length === 0 || field.show === false || name in fields || field._input_type === 'ModelInput')
      return false;
    // A path that comes over an edge is one on the disk.
    if (name === 'file_path') return false;
    if (this.nodes.length >= MAXIMUM_VERTICES - 1) return field.required === true;
    const isMissing = [undefined, null, ''].includes(/** @type {any} */ (field.value));
    if (field.required === true && isMissing)
      return name === 'input_value' || !types.includes('Message') || this.#random.chance(0.8);
    if (field.type === 'other')
      return types.some((type) => [...VALUES, 'LanguageModel'].includes(type)) && this.#random.chance(0.9);
    return !FIXED.test(name) && this.#random.chance(name === 'input_value' ? 0.9 : 0.1);
  }

  /**
   * Returns an output of one of these types, of a new vertex or of a Chat Input that is there already; null when no native
   * type has one.
   * @param {readonly string[]} types
   * @returns {End | null}
   */
  #sourceFor(types) {
    const wanted = types.map((type) => ({ Data: 'JSON', DataFrame: 'Table', Text: 'Message' })[type] ?? type);
    const kind = VALUES.find(
      (value) => wanted.includes(value) && (value === 'Message' || this.#random.chance(0.9)),
    );
    if (kind === 'Message' || (kind === undefined && wanted.includes('Message'))) {
      const chat = this.nodes.find(({ data }) => data.type === 'ChatInput') ?? null;
      if (this.nodes.length >= MAXIMUM_VERTICES - 1 || this.#random.chance(0.7))
        return this.#endOf(chat ?? this.#place('ChatInput', {}));
      return this.#random.chance(0.5)
        ? this.#sourceOf({ kind: 'Message', value: exampleText(this.#random) })
        : this.#endOf(this.add('Prompt Template'));
    }
    if (kind !== undefined) return this.#valueSource(/** @type {'JSON' | 'Table'} */ (kind));
    if (wanted.includes('Tool')) return null;
    const { local, templates } = this.#catalog;
    const preferred = ['LanguageModelComponent', 'EmbeddingModel', ...local];
    for (const type of preferred) {
      const output = templates[type].outputs.find((one) => one.types.some((name) => wanted.includes(name)));
      if (output === undefined || this.nodes.length >= MAXIMUM_VERTICES) continue;
      const isModel = type === 'LanguageModelComponent' || type === 'EmbeddingModel';
      return { node: isModel ? this.#place(type, {}) : this.add(type), output };
    }
    return null;
  }

  /** @param {'JSON' | 'Table'} kind */
  #valueSource(kind) {
    return this.#sourceOf({ kind, value: this.#random.pick(records) });
  }

  /**
   * @param {Source} source
   * @returns {End}
   */
  #sourceOf({ kind, value }) {
    if (kind === 'Message') return this.#endOf(this.#place('TextInput', { input_value: value }));
    const data = this.#endOf(this.#place('JSONtoData', { json_string: JSON.stringify(value) }));
    if (kind === 'JSON') return data;
    const table = this.#place('DataToDataFrame', {});
    this.connect(data, table, 'data_list');
    return this.#endOf(table);
  }

  /**
   * Returns a vertex as a tool, as the editor saves it.
   * @param {string} type
   * @returns {End}
   */
  #offer(type) {
    const node = this.#place(type, {});
    /** @type {Output & Record<string, unknown>} */
    const output = {
      name: 'component_as_tool',
      types: ['Tool'],
      method: 'to_toolkit',
      display_name: 'Toolset',
      selected: 'Tool',
    };
    const offered = {
      ...node,
      data: { ...node.data, node: { ...node.data.node, tool_mode: true, outputs: [output] } },
    };
    this.nodes[this.nodes.indexOf(node)] = offered;
    return { node: offered, output };
  }

  /** @param {FlowNode} node */
  #endOf(node) {
    return { node, output: node.data.node.outputs[0] };
  }

  #suffix() {
    return Array.from({ length: 5 }, () => this.#random.pick([...'abcdefghijkmnpqrstuvwxyz'])).join('');
  }
}

/**
 * @param {Field | string | undefined} field
 * @param {Output} output
 */
function accepts(field, output) {
  if (typeof field !== 'object' || field._input_type === 'ModelInput') return false;
  const names = field.input_types ?? [];
  const same = { JSON: 'Data', Table: 'DataFrame' };
  return output.types.some(
    (type) => names.includes(type) || names.includes(same[/** @type {keyof typeof same} */ (type)] ?? type),
  );
}
