# syntax=docker/dockerfile:1

# Compiles the sources with all packages, then keeps those that the program itself needs.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

# The program, its packages and its document, owned by root and changed by nobody. It writes to /data alone: files, and
# the database if there is no DATABASE_URL.
FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OPS_HOST=0.0.0.0 OPS_PORT=9090 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/generated/openapi.json ./generated/
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
VOLUME /data
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.OPS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node.js itself gets the signals, so that SIGTERM lets requests under way finish.
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["serve"]
