-- What KEYS are and how big. ARGV: how many bytes a key may have to be told by name.
local bytes, big = 0, {}
for i, key in ipairs(KEYS) do
  local size = redis.call('MEMORY', 'USAGE', key)
  if size then
    bytes = bytes + size
    if size > tonumber(ARGV[1]) then
      big[#big + 1] = i
      big[#big + 1] = size
      big[#big + 1] = redis.call('TYPE', key).ok
    end
  end
end
return {bytes, unpack(big)}
