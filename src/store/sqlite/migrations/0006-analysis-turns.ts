export const analysisTurns = `
-- Unfinished analyses, in the order in which they are taken: organisations take turns.
DROP INDEX analysis_to_take;
CREATE INDEX analysis_to_take ON analysis (organisation_id, uploaded_at, file_id)
  WHERE result IS NULL AND failure IS NULL;
`;
