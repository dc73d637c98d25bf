-- Moves KEYS from this node to a target: as many, from the first, as fit into a batch.
-- ARGV: control database, token with the run id that the caller saw, database of the keys,
-- id of the target, how many milliseconds the target may take, how many bytes a batch may have,
-- how many bytes a key may have, COPY to leave the keys here.
-- Answers with how many keys were looked at, keys and bytes that have left for this target since
-- the token was opened, and the keys that were at the target already.
redis.call('SELECT', ARGV[1])
local token = redis.call('HMGET', '__beltway:token', 'text', 'to:' .. ARGV[4])
local sealed = redis.call('HMGET', '__beltway:sealed', 'database', 'key')
redis.call('SELECT', ARGV[3])
-- First of all, also before "no such key": a key that is gone may have left a copy on its way.
if token[1] ~= ARGV[2] or not token[2] then
  return redis.error_reply('BELTWAYTOKEN ' .. tostring(token[1]))
end
local place = {}
for word in string.gmatch(token[2], '[^\n]+') do
  place[#place + 1] = word
end
local copies = ARGV[8] == 'COPY'

local batch, bytes, looked = {}, 0, 0
for i, key in ipairs(KEYS) do
  local size = redis.call('MEMORY', 'USAGE', key)
  if size then
    -- One that is being copied must stay, whatever its size seems to be this time.
    if size > tonumber(ARGV[7]) or sealed[2] == key and sealed[1] == ARGV[3] then
      if i == 1 then
        -- It takes too long for one step: the mover copies it, before others.
        redis.call('SELECT', ARGV[1])
        if redis.call('SCARD', '__beltway:wanted') < 1000 then
          redis.pcall('SADD', '__beltway:wanted', ARGV[3] .. ':' .. key)
        end
        redis.call('SELECT', ARGV[3])
        return redis.error_reply('BELTWAYBIG ' .. size)
      end
      break
    end
    if i > 1 and bytes + size > tonumber(ARGV[6]) then
      break
    end
    batch[#batch + 1] = key
    bytes = bytes + size
  end
  looked = i
end

local function migrate(keys, replace)
  local words = {'MIGRATE', place[1], place[2], '', ARGV[3], ARGV[5]}
  if copies then
    words[#words + 1] = 'COPY'
  end
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

local function failed(reply)
  return type(reply) == 'table' and reply.err
end

local busy = {}
local reply = {}
if #batch > 0 then
  reply = migrate(batch, false)
  if failed(reply) and says(reply, 'BUSYKEY') then
    -- Whatever is there came from elsewhere: this node's value counts.
    for _, key in ipairs(batch) do
      if redis.call('EXISTS', key) == 1 then
        busy[#busy + 1] = key
      end
    end
    reply = migrate(busy, true)
  end
end
if failed(reply) then
  if says(reply, 'IOERR') or says(reply, 'NOAUTH') or says(reply, 'WRONGPASS') then
    -- What was sent may still arrive. RENAME works also where memory is full.
    redis.call('SELECT', ARGV[1])
    redis.call('RENAME', '__beltway:token', '__beltway:token:broken')
    redis.call('SELECT', ARGV[3])
    return redis.error_reply('BELTWAYBROKEN ' .. reply.err)
  end
  return redis.error_reply('BELTWAYNOTTAKEN ' .. reply.err)
end
local left, weight = 0, 0
if not copies then
  -- What is counted is for people: it must stand in nobody's way where memory is full.
  redis.call('SELECT', ARGV[1])
  left = redis.pcall('HINCRBY', '__beltway:moved', ARGV[4], #batch)
  weight = redis.pcall('HINCRBY', '__beltway:moved', ARGV[4] .. ':bytes', bytes)
  redis.call('SELECT', ARGV[3])
  left = type(left) == 'number' and left or 0
  weight = type(weight) == 'number' and weight or 0
end
local answer = {looked, left, weight}
for _, key in ipairs(busy) do
  answer[#answer + 1] = key
end
return answer
