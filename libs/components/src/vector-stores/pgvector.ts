import { ComponentError, secret, text } from '@millrace/flow';
import { parseDatabaseAddress } from '../integrations/sql/database-address';
import { defineVectorStore } from './definition/define-vector-store';
import { PgvectorStore } from '../integrations/pgvector/pgvector-store';

export default defineVectorStore({
  type: 'pgvector',
  aliases: ['PGVectorStoreComponent', 'PGVector'],
  displayName: 'PGVector',
  description: 'Stores texts in PostgreSQL with the extension "vector" and searches them.',
  inputs: {
    pg_server_url: secret({ displayName: 'PostgreSQL Server Connection String', required: true }),
    collection_name: text({ displayName: 'Table', plain: true, required: true }),
  },
  open: ({ pg_server_url, collection_name }, context) => {
    const address = parseDatabaseAddress(pg_server_url);
    if (address.dialect !== 'postgresql') {
      throw new ComponentError('PGVector needs the connection string of a PostgreSQL server.');
    }
    if (collection_name === '') throw new ComponentError('PGVector needs the name of a table.');
    return new PgvectorStore(address, collection_name, context);
  },
});
