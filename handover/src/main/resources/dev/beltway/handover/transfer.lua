-- Moves KEYS from this node to a target.
-- ARGV: control database, token with the run id that the caller saw, database of the keys,
-- id of the target, how many milliseconds the target may take.
redis.call('SELECT', ARGV[1])
local token = redis.call('HMGET', '__beltway:token', 'text', 'to:' .. ARGV[4])
redis.call('SELECT', ARGV[3])
-- First of all, also before "no such key": a key that is gone may have left a copy on its way.
if token[1] ~= ARGV[2] or not token[2] then
  return redis.error_reply('BELTWAYTOKEN ' .. tostring(token[1]))
end
local place = {}
for word in string.gmatch(token[2], '[^\n]+') do
  place[#place + 1] = word
end

local function migrate(keys, replace)
  local words = {'MIGRATE', place[1], place[2], '', ARGV[3], ARGV[5]}
  if replace then
    words[#words + 1] = 'REPLACE'
  end
  for _, word in ipairs({'AUTH2', place[3], place[4], 'KEYS'}) do
    words[#words + 1] = word
  end
  for _, key in ipairs(keys) do
    words[#words + 1] = key
  end
  return redis.pcall(unpack(words))
end

local function says(reply, word)
  return string.find(reply.err, word, 1, true)
end

local reply = migrate(KEYS, false)
if type(reply) == 'table' and reply.err and says(reply, 'BUSYKEY') then
  -- Whatever is there came from elsewhere: this node's value counts.
  local busy = {}
  for _, key in ipairs(KEYS) do
    if redis.call('EXISTS', key) == 1 then
      busy[#busy + 1] = key
    end
  end
  reply = migrate(busy, true)
  if not (type(reply) == 'table' and reply.err) then
    return busy
  end
end
if type(reply) == 'table' and reply.err then
  if says(reply, 'IOERR') or says(reply, 'NOAUTH') or says(reply, 'WRONGPASS') then
    -- What was sent may still arrive. RENAME works also where memory is full.
    redis.call('SELECT', ARGV[1])
    redis.call('RENAME', '__beltway:token', '__beltway:token:broken')
    redis.call('SELECT', ARGV[3])
    return redis.error_reply('BELTWAYBROKEN ' .. reply.err)
  end
  return redis.error_reply('BELTWAYNOTTAKEN ' .. reply.err)
end
return reply
