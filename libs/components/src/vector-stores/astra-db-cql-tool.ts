import { defineComponent, dictionary, jsonValue, table, text } from '@millrace/flow';
import type { InputValues } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { objectsMember } from '../integrations/http/json-members';
import {
  conditions,
  namedParameters,
  parametersSchema,
  parseTime,
  tableParameters,
} from '../integrations/astra/astra-parameters';
import type { AstraParameter } from '../integrations/astra/astra-parameters';
import { resolveAstraAccess } from '../integrations/astra/astra-access';
import {
  astraToolInputs,
  astraToolOutputs,
  projectionInput,
  runAstraTool,
} from '../integrations/astra/astra-tool';

const inputs = {
  ...astraToolInputs,
  table_name: text({ displayName: 'Table Name', plain: true, required: true }),
  projection_fields: projectionInput('Projection Fields'),
  tools_params: table({ displayName: 'Tools Parameters' }),
  partition_keys: dictionary({ displayName: 'Partition Keys of earlier versions', advanced: true }),
  clustering_keys: dictionary({ displayName: 'Clustering Keys of earlier versions', advanced: true }),
};

type Values = InputValues<typeof inputs>;

export default defineComponent({
  type: 'AstraDBCQLToolComponent',
  displayName: 'Astra DB CQL',
  description: 'Provides a tool with which a model finds rows in a table of Astra DB.',
  inputs,
  outputs: astraToolOutputs,
  deterministic: false,
  run: async (values, context) => {
    const access = await resolveAstraAccess(context);
    const keys = keyParameters(values);
    const parameters = tableParameters(values.tools_params, 'field_name');
    const path = [access.keyspace, values.table_name.trim()].map(encodeURIComponent).join('/');
    const isNotFixed = ({ field }: AstraParameter): boolean => !Object.hasOwn(values.static_filters, field);
    return runAstraTool(
      {
        name: values.tool_name,
        description: values.tool_description,
        parameters: parametersSchema([...keys, ...parameters].filter(isNotFixed)),
        find: async (callArguments) => {
          const given = {
            ...callArguments,
            ...fixedArguments([...keys, ...parameters], values.static_filters),
          };
          const where = conditions(parameters, given, (moment) => new Date(parseTime(moment)).toISOString());
          const answer = await callJson(
            {
              service: 'Astra DB',
              url: `${access.endpoint}/api/rest/v2/keyspaces/${path}/${keyPath(keys, given)}`,
              query: {
                'page-size': values.number_of_results,
                where: keys.length > 0 ? null : JSON.stringify(jsonValue(where)),
                fields:
                  values.projection_fields === '*' ? null : values.projection_fields.replaceAll(' ', ''),
              },
              headers: { 'x-cassandra-token': access.token },
              secrets: [access.token],
            },
            context,
          );
          return objectsMember(answer, 'data');
        },
      },
      context,
    );
  },
});

/** Nodes of earlier versions name the keys of a row; partition keys are always required. */
function keyParameters({ partition_keys, clustering_keys }: Values): readonly AstraParameter[] {
  const partition = namedParameters(partition_keys).map((key) => ({ ...key, mandatory: true }));
  return [...partition, ...namedParameters(clustering_keys)];
}

/** Returns the values that the author has fixed, keyed by argument name. */
function fixedArguments(parameters: readonly AstraParameter[], fixed: PythonObject): PythonObject {
  return Object.fromEntries(
    parameters
      .filter(({ field }) => Object.hasOwn(fixed, field))
      .map(({ name, field }) => [name, fixed[field] ?? null]),
  );
}

/** Returns the keys of a row as a path, in their order, up to the first missing one. */
function keyPath(keys: readonly AstraParameter[], given: PythonObject): string {
  const values = keys.map(({ name }) => given[name] ?? null);
  const end = values.indexOf(null);
  return values
    .slice(0, end === -1 ? undefined : end)
    .map((value) => encodeURIComponent(str(value)))
    .join('/');
}
