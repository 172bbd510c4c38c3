-- Settings have the ids of the users who answer: a user can be renamed, and another one can take the name.
UPDATE flows SET settings = jsonb_set(readable_json(flows.settings::text), '{answeredBy}', named.ids)::json
FROM (
  SELECT flows.id, jsonb_agg(coalesce(users.id::text, given.name) ORDER BY given.place) AS ids
  FROM flows
  CROSS JOIN LATERAL (SELECT readable_json(flows.settings::text) -> 'answeredBy' AS names) AS stored
  CROSS JOIN LATERAL jsonb_array_elements_text(
    CASE jsonb_typeof(stored.names) WHEN 'array' THEN stored.names ELSE '[]'::jsonb END
  ) WITH ORDINALITY AS given (name, place)
  LEFT JOIN users ON users.username = given.name AND given.name <> 'superusers'
  WHERE position('"answeredBy"' IN flows.settings::text) > 0
  GROUP BY flows.id
) AS named
WHERE flows.id = named.id;
