package dev.beltway.hash;

/**
 * CRC-16/XMODEM: polynomial 0x1021, initial value 0, no reflection. Redis Cluster's slot of a key
 * is this value modulo 16,384.
 */
final class Crc16 {

  private static final char[] TABLE = table();

  private Crc16() {}

  static int hash(byte[] bytes, int offset, int length) {
    int crc = 0;
    for (int i = offset; i < offset + length; i++) {
      crc = ((crc << 8) ^ TABLE[((crc >>> 8) ^ bytes[i]) & 0xff]) & 0xffff;
    }
    return crc;
  }

  /** The same loop without cutting its register to 16 bits: what twemproxy 0.5 calls crc16. */
  static int unmasked(byte[] bytes, int offset, int length) {
    int crc = 0;
    for (int i = offset; i < offset + length; i++) {
      crc = (crc << 8) ^ TABLE[((crc >>> 8) ^ bytes[i]) & 0xff];
    }
    return crc;
  }

  private static char[] table() {
    char[] table = new char[256];
    for (int octet = 0; octet < 256; octet++) {
      int crc = octet << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      }
      table[octet] = (char) crc;
    }
    return table;
  }
}
